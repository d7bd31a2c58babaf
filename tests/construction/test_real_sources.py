"""Real trees as archives: what is found in them is what an independent scan found, and what the outline says alone."""

import gzip
import io
import tarfile
from functools import cache

import pytest

from construction.models import Source, SourceState
from tests.construction.archives import add_archive
from tests.latex import sources

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.real_data]


@cache
def packed(name: str) -> bytes:
    """A tree as arXiv would give it: a tar in gzip, made in memory."""
    folder = sources.FOLDER / "sources" / sources.SOURCES[name][0]
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        archive.add(folder, arcname=".")
    return gzip.compress(whole.getvalue(), mtime=0)


# The two blueprints have a main file for print and one for the web, which input the same chapters; HoTT has nine, for
# paper and screens. The program takes the best of such, and says so by their points.
MAIN = {
    "hott": {"hott-a4.tex", "hott-online.tex", "hott-ebook.tex"},
    "pfr": {"web.tex", "print.tex"},
    "flt": {"web.tex", "print.tex"},
    "paper-benning-crit": {"ms.tex"},
    "paper-roetz22": {"ms.tex"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sources.SOURCES)
def test_a_real_source_is_readable_and_every_statement_of_the_independent_scan_is_found(name: str) -> None:
    source = add_archive(actor=None, data=packed(name), name=f"{name}.tar.gz")
    assert (source.state, source.form) == (SourceState.READABLE, "gzip of tar")
    assert source.main in MAIN[name]
    files = dict(source.files.values_list("path", "text"))
    outline = source.reading.outline
    for row in [*outline["statements"], *outline["proofs"]]:
        assert row["places"]
        for path, start, end in row["places"]:
            assert 0 <= start < end <= len(files[path])
    begins = {(row["places"][0][0], row["places"][0][1]) for row in outline["statements"]}
    prefix = sources.SOURCES[name][2]
    truth = sources.truth(name, "statement")
    if prefix is None:  # the scan has offsets of the joined text only
        assert source.reading.statements >= len(truth)
        return
    missing = {(doc.removeprefix(prefix), start) for doc, start, _ in truth} - begins
    assert missing == set()


def test_real_sources_keep_their_bytes_and_are_stored_once() -> None:
    first = add_archive(actor=None, data=packed("pfr"), name="pfr.tar.gz")
    again = add_archive(actor=None, data=packed("pfr"), name="other.tar.gz")
    assert first.pk == again.pk == Source.objects.get().pk
    assert bytes(first.archive.data) == packed("pfr")
