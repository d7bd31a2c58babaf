"""A whole search among 100,000 statements, by REST, by page and by MCP; processor time, with database and rendering.

Statements have 40 words of a vocabulary of 50,000 by Zipf's law and two formulas. BLAS has one thread. The third number
of a spread is the 95th percentile. The hybrid index has vectors at random, as a model would make them: the time in
which a model reads the query itself is not counted.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.frame import Figure, Spread, demo

STATEMENTS, QUERIES = 100_000, 200
TARGETS = {
    "REST": 0.060,
    "page": 0.150,
    "MCP": 0.100,
    "similar by REST": 0.150,
}  # those of MCP and similar are ours
MEASURE = """
import json, sys, time
import numpy as np
import django
django.setup()
from django.core.management import call_command
from django.test import Client
from pathlib import Path
from retrieval import local
from search.indexes import embedding
from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index
from search.searching.limits import _Limit

class AtRandom:
    model = local.MODEL
    chance = np.random.default_rng(2)

    def __call__(self, texts):
        rows = self.chance.normal(size=(len(texts), self.model.dimensions)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

path, recipe, queries = sys.argv[1], sys.argv[2], json.loads(Path(sys.argv[3]).read_text())
_Limit.allow_request = lambda *_: True
embedding.model = AtRandom
call_command("migrate", verbosity=0)
about = About(title="Bench", visibility="anyone", licence="MIT")
import_corpus(actor=None, path=Path(path), slug="bench", about=about)
build_index(actor=None, corpus=corpus_named("bench"), recipe=recipe)
client = Client()
head = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}

def by_mcp(query):
    asked = {"name": "theorem_search", "arguments": {"corpus": "bench", "query": query}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    return client.post("/mcp", json.dumps(message), content_type="application/json", headers=head)

def like(query):
    body = json.dumps({"corpus": "bench", "text": query})
    return client.post("/api/v1/search/similar/", body, content_type="application/json")

ways = {
    "REST": lambda query: client.get("/api/v1/search/", {"corpus": "bench", "q": query}),
    "page": lambda query: client.get("/search/", {"corpus": "bench", "q": query}),
    "MCP": by_mcp,
    "similar by REST": like,
}
found = {}
for name, ask in ways.items():
    for query in queries[:3]:
        reply = ask(query)
        assert reply.status_code == 200 and b'"isError":true' not in reply.content, reply.content
    found[name] = []
    for query in queries:
        begun = time.process_time()
        ask(query)
        found[name].append(time.process_time() - begun)
print(json.dumps(found))
"""


def texts(folder: Path) -> tuple[Path, Path]:
    """The corpus, and the queries: four words, every second one with a formula."""
    import numpy as np

    chance = np.random.default_rng(1)
    share = 1 / np.arange(10, 50_010)
    share /= share.sum()
    names = np.array(["".join(chance.choice(list("aeiourstlnm"), 7)) + f"{n:x}" for n in range(len(share))])
    signs = [
        r"\alpha",
        r"\subseteq",
        r"\mathbb{R}^n",
        "x_i",
        r"\leq",
        "f(x)",
        r"\sum_{k}",
        "+",
        "G/H",
        r"\to",
    ]
    corpus, queries = folder / "corpus.jsonl", folder / "queries.json"
    with corpus.open("w", encoding="utf-8") as file:
        for start in range(0, STATEMENTS, 1_000):
            for at, row in enumerate(chance.choice(len(share), (1_000, 40), p=share), start):
                made = ["".join(chance.choice(signs, 4)) for _ in range(2)]
                body = f"{' '.join(names[row[:20]])} ${made[0]}$ {' '.join(names[row[20:]])} ${made[1]}$."
                line = {"key": f"s{at}", "document": f"d{at // 20}", "kind": "lemma", "body": body}
                file.write(json.dumps(line) + "\n")
    asked = [" ".join(names[row]) for row in chance.choice(len(share), (QUERIES, 4), p=share)]
    for at in range(0, QUERIES, 2):
        asked[at] += f" ${''.join(chance.choice(signs, 3))}$"
    queries.write_text(json.dumps(asked), encoding="utf-8")
    return corpus, queries


def figures() -> Iterator[Figure]:
    """Each way to ask, of an index of words and formulas and of one with vectors too."""
    for recipe in ("words", "hybrid"):
        with tempfile.TemporaryDirectory() as folder:
            corpus, queries = texts(Path(folder))
            environment = demo(
                folder,
                DATABASE_URL="",
                OPENBLAS_NUM_THREADS="1",
                TOUCHSTONE_ALLOWED_HOSTS="testserver",
                TOUCHSTONE_STATIC_STORAGE="django.contrib.staticfiles.storage.StaticFilesStorage",
            )
            command = [sys.executable, "-c", MEASURE, str(corpus), recipe, str(queries)]
            done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        for name, seconds in json.loads(done.stdout.splitlines()[-1]).items():
            p95 = statistics.quantiles(seconds, n=20)[-1]
            spread = Spread(min(seconds), statistics.median(seconds), p95, len(seconds))
            task = f"{name}, {STATEMENTS:,} statements, recipe {recipe}"
            yield Figure(task, spread, target=TARGETS[name])
