"""A small corpus of made-up statements with an index of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index
from search.models import Corpus
from search.searching.hidden import found_by

LINES: list[dict[str, Any]] = [
    {
        "key": "compact", "document": "topology", "title": "Spaces", "authors": ["A. Author", "B. Writer"],
        "year": 1999, "kind": "theorem", "number": "3.1", "note": "Heine and Borel", "section": "Compact sets",
        "body": r"A subset of $\mathbb{R}^n$ is compact if and only if it is closed and bounded.",
        "url": "https://example.org/spaces#3.1", "licence": "CC-BY-4.0",
    },
    {
        "key": "uniform", "document": "topology", "title": "Spaces", "authors": ["A. Author", "B. Writer"],
        "year": 1999, "kind": "lemma", "number": "3.2", "section": "Compact sets",
        "body": r"A continuous function $f$ on a compact set is uniformly continuous.", "licence": "CC-BY-4.0",
    },
    {
        "key": "primes", "document": "numbers", "title": "Numbers", "kind": "theorem",
        "body": r"There are infinitely many primes $p \equiv 1 \pmod{4}$.", "licence": "CC-BY-SA-4.0",
    },
    {
        "key": "secret", "document": "closed", "title": "A closed book", "year": 2015, "kind": "theorem",
        "body": "Every ring with unity " + "and one more word " * 40 + "has a maximal ideal.",
        "licence": "CC-BY-ND-4.0",
    },
]  # fmt: skip


def hidden_from(person: Any, corpus: Corpus) -> tuple[str, ...]:
    """The keys of the documents of a corpus that this person must not find now."""
    return tuple(
        corpus.documents.difference(found_by(person, corpus)).order_by("key").values_list("key", flat=True)
    )


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write lines to a file."""

    def written(lines: list[Any], name: str = "corpus.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return path

    return written


@pytest.fixture(autouse=True)
def _indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.conf import settings as django_settings

    monkeypatch.setattr(django_settings, "INDEX_DIR", tmp_path / "indexes", raising=False)


@pytest.fixture
def corpus(db: None, write: Callable[..., Path]) -> Corpus:
    """The corpus, open to everybody who is signed in, with an index of words and formulas."""
    import_corpus(actor=None, path=write(LINES), slug="library", about=About(title="The library"))
    stored = corpus_named("library")
    build_index(actor=None, corpus=stored, recipe="words")
    return stored
