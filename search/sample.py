"""The sample corpus of the demo."""

from pathlib import Path

from search.corpora.actions import About, import_corpus
from search.corpora.queries import corpus_named
from search.indexes.actions import build_index
from search.models import Visibility


def load_library(folder: Path) -> None:
    """Import the sample corpus of the folder and build its index; what is there already is kept."""
    about = About(
        title="Sample library",
        visibility=Visibility.ANYONE,
        licence="MIT",
        attribution="The Touchstone authors",
    )
    import_corpus(actor=None, path=folder / "search" / "library.jsonl", slug="sample-library", about=about)
    build_index(actor=None, corpus=corpus_named("sample-library"), recipe="words")
