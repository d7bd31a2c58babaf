"""Searching a million made-up statements, and building an index of 100,000.

Statements have 40 words of a vocabulary of 50,000 by Zipf's law and one formula; vectors are mixtures of a thousand
directions. Times with a target are processor times, one thread; the naive way scores every statement for a query.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from bench.frame import Figure, Spread
from retrieval.index import Entry, Index, build
from retrieval.postings import Collector, Postings, Remaining, best, impacts, lengths_of
from retrieval.recipes import NAMED
from retrieval.vectors import Vectors, quantised, signs

STATEMENTS, BUILT, QUERIES, DIMENSIONS = 1_000_000, 100_000, 50, 384
VOCABULARY, LENGTH = 50_000, 40


def figures() -> Iterator[Figure]:
    """Words and meaning at a million, recall of the candidates, then a build of 100,000 in a process of its own."""
    words, without, naive = by_words()
    yield Figure(
        "words, 1,000,000 statements, 4 words asked", words, naive, "one statement after the other", 0.010
    )
    yield Figure("the same as if 100 statements were not there", without)
    meaning, exact, missed = by_meaning()
    yield Figure("meaning, 1,000,000 vectors", meaning, exact, "every vector compared", 0.035)
    yield Figure("share of the 20 nearest that is missed", missed, target=0.04, unit="of 1")
    seconds, memory = building()
    yield Figure("build of 100,000 statements", seconds, target=15.0)
    yield Figure("memory of that build, statements included", memory, target=400e6, unit="B")


def by_words() -> tuple[Spread, Spread, Spread]:
    """(processor time of a query, the same without some statements, the same of scoring each statement by itself)."""
    chance = np.random.default_rng(1)
    collector = Collector()
    share = 1 / np.arange(10, VOCABULARY + 10)
    share /= share.sum()
    names = np.array([f"w{n}" for n in range(VOCABULARY)])
    kept: list[Counter[str]] = []
    for _ in range(0, STATEMENTS, 10_000):
        for row in chance.choice(VOCABULARY, (10_000, LENGTH), p=share):
            counted = Counter(names[row].tolist())
            collector.add(counted)
            if len(kept) < 1_000:
                kept.append(counted)
    terms, counts = collector.counts()
    found = impacts(counts, 1.2, 0.75)
    places = {term: at for at, term in enumerate(terms)}
    postings: Postings[str] = Postings(counts.starts, counts.rows, found, places.get)
    queries = [names[chance.choice(VOCABULARY, 4, p=share)].tolist() for _ in range(QUERIES)]
    ours = processor([lambda q=q: best(postings.scores(q, STATEMENTS), 200) for q in queries])
    naive = processor(
        [lambda q=q: sorted(sum(of[word] for word in q) for of in kept) for q in queries],
        STATEMENTS / len(kept),
    )
    gone = np.arange(0, STATEMENTS, STATEMENTS // 100, dtype=np.int32)
    accept = np.ones(STATEMENTS, bool)
    accept[gone] = False
    remaining = Remaining(postings, counts.times.astype(np.uint8), lengths_of(counts), gone, 1.2, 0.75)
    without = processor([lambda q=q: best(remaining.scores(q, STATEMENTS), 200, accept) for q in queries])
    return ours, without, naive


def by_meaning() -> tuple[Spread, Spread, Spread]:
    """(processor time with candidates by signs, without, share of the 20 nearest that the candidates miss)."""
    chance = np.random.default_rng(2)
    directions = chance.normal(size=(1_000, DIMENSIONS)).astype(np.float32)

    def some(count: int) -> np.ndarray:
        mixed = directions[chance.integers(1_000, size=(count, 3))].mean(axis=1)
        return quantised(mixed + chance.normal(scale=0.5, size=mixed.shape), DIMENSIONS)

    table = np.concatenate([some(50_000) for _ in range(0, STATEMENTS, 50_000)])
    vectors = Vectors(table, signs(table))
    queries = [row.tobytes() for row in some(QUERIES)]
    pool = NAMED["hybrid"].bits_pool
    missed = []
    for query in queries:
        near = set(vectors.nearest(query, 20, None, bits_pool=pool)[0].tolist())
        missed.append(1 - len(near & set(vectors.nearest(query, 20, None, bits_pool=None)[0].tolist())) / 20)
    ours = processor([lambda q=q: vectors.nearest(q, 20, None, bits_pool=pool) for q in queries])
    exact = processor([lambda q=q: vectors.nearest(q, 20, None, bits_pool=None) for q in queries[:10]])
    average = float(np.mean(missed))
    return ours, exact, Spread(average, average, average, len(missed))


def processor(works: list[Callable[[], object]], scaled: float = 1) -> Spread:
    """Processor seconds of each of several tasks; the first is done once beforehand."""
    works[0]()
    seconds = []
    for work in works:
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return Spread.of(seconds, scaled=scaled, processor=seconds)


def building() -> tuple[Spread, Spread]:
    """(processor seconds, bytes) of an index of 100,000 statements without vectors."""
    code = "from bench import search_speed; search_speed.build_and_print()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    seconds, size = map(float, run.stdout.split())
    return Spread(seconds, seconds, seconds, 1, processor=seconds), Spread(size, size, size, 1)


def build_and_print() -> None:
    """Build in this process; print the processor seconds of it and the largest memory of the process."""
    chance = np.random.default_rng(3)
    share = 1 / np.arange(10, VOCABULARY + 10)
    share /= share.sum()
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    entries = []
    for number in range(BUILT):
        a, b, c, n = chance.choice(letters, 4)
        formula = rf"$\sum_{{{n}=1}}^{{\infty}} \frac{{{a}_{n}}}{{{b}^{{{n}}}}} \leq {c}$"
        if number % 1_000 == 0:
            rows = chance.choice(VOCABULARY, (1_000, LENGTH), p=share)
        body = f"Let {formula} be " + " ".join([f"wo{value}rd" for value in rows[number % 1_000].tolist()])
        entries.append(
            Entry(f"s{number:07}", body, context=f"Section {number // 50}", document=f"d{number // 200}")
        )
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), entries, corpus_digest="", recipe=NAMED["words"])
        Index.open(Path(folder))
    # Not ru_maxrss, which a process inherits from the one that started it.
    peak = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    print(time.process_time() - start, int(peak.split()[1]) * 1024)


os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
