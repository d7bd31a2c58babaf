"""CiteRecall@20 of seven systems on 200 proof gaps, 20 candidates each, with every cache empty.

The sample's citations with words changed stand for a search index of 8,000 sources; one output in ten has the cited
source among its candidates. The naive way reads and compares every candidate as it comes.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.frame import Figure, once, timed
from benchmark.citations.identity import Identity, same_work
from benchmark.citations.reading import read_citation
from benchmark.protocols.re2math import citing
from benchmark.protocols.re2math.metrics import cited_among
from benchmark.protocols.re2math.schema import GapAnswer, ProofGap

SYSTEMS, INSTANCES, CANDIDATES, INDEX, PART = 7, 200, 20, 8_000, 50
RNG = random.Random(1)
Work = list[tuple[dict[str, Any], dict[str, Any]]]


def study() -> Work:
    """Every instance with the output of every system, as payloads."""
    path = Path(__file__).parents[1] / "sample" / "re2math" / "release.jsonl"
    gaps = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    read = [read_citation(gap["z"]["citation_content"]) for gap in gaps]
    people = [" and ".join(name.surname for name in found.authors.names) for found in read]
    vocabulary = sorted({word for found in read for word in found.title.split() if len(word) > 3})

    def source(at: int) -> dict[str, Any]:
        title = " ".join(random.Random(at).choices(vocabulary, k=8))
        return {"title": title, "authors": people[at % len(people)], "year": 1950 + at % 70, "identifier": ""}

    index = [source(at) for at in range(INDEX)]
    work: Work = []
    for _ in range(SYSTEMS):
        for number in range(INSTANCES):
            gap, found = gaps[number % len(gaps)], read[number % len(gaps)]
            candidates = RNG.choices(index, k=CANDIDATES)
            if number % 10 == 0:
                named = {"title": found.title, "authors": people[number % len(gaps)], "year": found.year}
                candidates[RNG.randrange(CANDIDATES)] = named
            work.append((gap, {"candidates": candidates, "selected_source": candidates[0]}))
    return work


def by_keys(work: Work) -> list[float]:
    """As a score does it, beginning with empty caches."""
    citing._cited_keys.cache_clear()
    citing._keys_of.cache_clear()
    return [cited_among(gap, output) for gap, output in work]


def one_by_one(work: Work) -> list[float]:
    """Each candidate and the citation are read and compared."""
    found = []
    for payload, output in work:
        gap, answer = ProofGap.model_validate(payload), GapAnswer.model_validate(output)
        matches = (
            same_work(citing.selected(source), citing.cited_source(gap.z)) for source in answer.candidates
        )
        found.append(float(any(match.identity == Identity.SAME for match in matches)))
    return found


def figures() -> Iterator[Figure]:
    """One figure; both ways must give the same recall."""
    work = study()
    part = work[::PART]
    if one_by_one(part) != by_keys(part) or not any(by_keys(part)):
        raise SystemExit("the two ways do not recall the same citations")
    yield Figure(
        "CiteRecall@20, 28,000 candidates, caches empty",
        timed(lambda: by_keys(work)),
        once(lambda: one_by_one(part), scaled=PART),
        "every candidate read and compared",
        target=2.0,
    )
