"""Corpora out of LaTeX: documents, what they input, their statements with numbers, macros and places."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from django.core.management import call_command

from benchmark.importing.survey import BadFile
from search.corpora.actions import import_corpus
from search.corpora.queries import corpus_named
from search.corpora.sources import Sources, read_sources
from search.indexes.actions import build_index
from search.models import Corpus, Document, Statement
from tests.benchmark.files import packed
from tests.latex.real_data import DATA

PREAMBLE = r"""\documentclass{article}
\newtheorem{thm}{Theorem}[section]
\newtheorem{lem}[thm]{Lemma}
\input{macros}
\title{On \emph{small} spaces}\author{Ada Author\thanks{Funded.} \and Ben Writer}\date{3 May 2019}
"""
PAPER = {
    "main.tex": PREAMBLE
    + r"""\begin{document}
\section{Compactness}
\begin{thm}[Heine and Borel]\label{thm:hb}
A subset of $\R^n$ is compact % as everybody knows
if and only if $\norm{x}$ is bounded on it.
\end{thm}
\begin{proof} Clear. \end{proof}
\input{parts/second}
\end{document}
""",
    "macros.tex": r"\newcommand{\R}{\mathbb{R}}\newcommand{\norm}[1]{\left\lVert #1\right\rVert}",
    "parts/second.tex": r"""\section{Continuity}
\begin{lem}
Every function on $\R$ is what it is.
\end{lem}
\begin{lem}\end{lem}
\begin{exercise} Prove all of this again. \end{exercise}
""",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def tarred(files: dict[str, str], mode: str = "w:gz", kind: bytes = tarfile.REGTYPE) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.type = len(text.encode()) if kind == tarfile.REGTYPE else 0, kind
            member.linkname = "/etc/passwd"
            archive.addfile(member, io.BytesIO(text.encode()))
    return file.getvalue()


def bodies(found: Sources) -> list[str]:
    return [line.body for _, _, line in found.lines]


def test_a_paper_of_several_files_is_one_document_whose_statements_know_where_they_are(tmp_path):
    found = read_sources(write(tmp_path / "paper", PAPER))
    (file, line, theorem), (other, at, lemma) = found.lines
    assert (file, line, other, at) == ("main.tex", 8, "parts/second.tex", 2)
    assert (theorem.document, theorem.title, theorem.authors, theorem.year) == (
        "paper/main", r"On \emph{small} spaces", ["Ada Author", "Ben Writer"], 2019,
    )  # fmt: skip
    assert (theorem.kind, theorem.number, theorem.note, theorem.label, theorem.section) == (
        "theorem", "1.1", "Heine and Borel", "thm:hb", "Compactness",
    )  # fmt: skip
    assert (lemma.kind, lemma.number, lemma.section, lemma.title) == (
        "lemma", "2.1", "Continuity", theorem.title,
    )  # fmt: skip


def test_macros_of_the_author_are_expanded_and_comments_are_gone(tmp_path):
    theorem = bodies(read_sources(write(tmp_path / "paper", PAPER)))[0]
    assert theorem == (
        r"A subset of $\mathbb{R}^n$ is compact if and only if $\left\lVert x\right\rVert$ is bounded on it."
    )


def test_a_proof_that_is_written_within_a_statement_is_no_part_of_it(tmp_path):
    text = r"\begin{thm}All tame groups are cyclic. \begin{proof}Secret.\end{proof}\end{thm}"
    made = read_sources(write(tmp_path / "paper", {"main.tex": PREAMBLE + r"\begin{document}" + text}))
    assert bodies(made) == ["All tame groups are cyclic."]


def test_what_is_passed_over_is_named_with_file_line_and_reason(tmp_path):
    folder = write(tmp_path / "paper", PAPER)
    (folder / "old.tex").write_bytes("\\begin{lem} Caf\xe9 \\end{lem}".encode("latin-1"))
    skipped = [(one.file, one.line, one.reason) for one in read_sources(folder).skipped]
    assert skipped == [
        ("old.tex", 1, "not UTF-8; save it as UTF-8"),
        ("parts/second.tex", 5, "the statement has fewer than 8 characters"),
        ("parts/second.tex", 6, "exercises are not imported"),
    ]


def test_of_two_documents_that_input_the_same_file_the_first_one_has_its_statements(tmp_path):
    book = PAPER | {"book-letter.tex": PAPER["main.tex"].replace("article", "book")}
    book["book-letter.tex"] = PREAMBLE + r"\begin{document}\input{parts/second}\end{document}"
    found = read_sources(write(tmp_path / "paper", book))
    assert [line.document for _, _, line in found.lines] == ["paper/main", "paper/main"]
    assert ("book-letter.tex", "its statements are those of main.tex") in [
        (one.file, one.reason) for one in found.skipped
    ]


def test_a_chapter_without_a_preamble_is_a_document_that_knows_the_macros_of_its_folder(tmp_path):
    chapter = r"\section{Spaces}\begin{lemma}Every $\R$ is one space.\end{lemma}"
    files = {"macros.tex": PAPER["macros.tex"], "one.tex": chapter}
    (_, _, lemma) = read_sources(write(tmp_path / "notes", files)).lines[0]
    assert (lemma.document, lemma.title, lemma.body) == (
        "notes/one", "Spaces", r"Every $\mathbb{R}$ is one space.",
    )  # fmt: skip


def test_documents_that_input_each_other_and_macros_without_end_are_read_once(tmp_path):
    files = {
        "main.tex": PREAMBLE + r"\newcommand{\a}{\a\a}\begin{document}\input{b}"
        r"\begin{thm}Endless $\a$ here.\end{thm}\end{document}",
        "b.tex": r"\input{main}\input{b}\input{../../etc/passwd}\begin{lem}A lemma of b.\end{lem}",
    }  # fmt: skip
    assert bodies(read_sources(write(tmp_path / "paper", files))) == []  # each inputs the other: no document
    files["b.tex"] = files["b.tex"].replace(r"\input{main}", "")
    assert bodies(read_sources(write(tmp_path / "paper", files))) == ["A lemma of b.", r"Endless $\a$ here."]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_gives_what_its_folder_gives(tmp_path, mode):
    archive = tmp_path / f"paper.tar{mode[1:].replace(':', '.')}"
    archive.write_bytes(tarred({f"paper/{name}": text for name, text in PAPER.items()}, mode))
    expected = read_sources(write(tmp_path / "paper", PAPER))
    assert read_sources(archive) == expected


def test_a_zip_gives_what_its_folder_gives_and_a_compressed_file_alone_is_one_document(tmp_path):
    archive = tmp_path / "paper.zip"
    archive.write_bytes(packed(**PAPER))
    assert read_sources(archive) == read_sources(write(tmp_path / "paper", PAPER))
    alone = tmp_path / "2401.00012.gz"
    alone.write_bytes(gzip.compress(PAPER["parts/second.tex"].encode()))
    assert bodies(read_sources(alone)) == [r"Every function on $\R$ is what it is."]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (tarred({"../out.tex": "a"}), "leads out of the archive"),
        (tarred({"/etc/out.tex": "a"}), "leads out of the archive"),
        (tarred({"link.tex": ""}, kind=tarfile.SYMTYPE), "not a regular file"),
        (tarred({"hard.tex": ""}, kind=tarfile.LNKTYPE), "not a regular file"),
        (tarred({"pipe.tex": ""}, kind=tarfile.FIFOTYPE), "not a regular file"),
        (tarred({"a.tex": "a" * 9_000_000}), "unpacks to more than is read"),
        (tarred({f"{n}.tex": "a" for n in range(5_001)}, "w"), "more than 5,000 files"),
        (tarred({"a.tex": "a" * 5000})[:-40], "not a readable tar"),
        (b"\x1f\x8bnot gzip at all", "not a readable tar"),
        (tarred({"a.txt": "a"}), r"no \.tex file"),
    ],
    # The bytes hold the time, so they are not names.
    ids=["above", "absolute", "link", "hard-link", "pipe", "bomb", "many", "torn", "no-gzip", "no-source"],
)  # fmt: skip
def test_a_hostile_or_broken_tar_is_refused_and_writes_nothing_outside(tmp_path, content, words):
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(content)
    with pytest.raises(BadFile, match=words):
        import_corpus(actor=None, path=archive, slug="library")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


@pytest.mark.django_db
def test_the_same_sources_again_add_nothing_and_a_changed_statement_is_a_new_one(tmp_path):
    folder = write(tmp_path / "paper", PAPER)
    assert import_corpus(actor=None, path=folder, slug="library").new == 2
    assert import_corpus(actor=None, path=folder, slug="library").new == 0
    changed = PAPER["parts/second.tex"].replace("what it is", "continuous")
    write(folder, {"parts/second.tex": changed})
    assert import_corpus(actor=None, path=folder, slug="library").new == 1
    assert (Statement.objects.count(), Document.objects.count()) == (3, 1)


@pytest.mark.django_db
def test_a_dry_run_says_what_would_be_imported_and_what_not(tmp_path, capsys):
    call_command("import_corpus", str(write(tmp_path / "paper", PAPER)), corpus="library", dry_run=True)
    said = capsys.readouterr().out
    assert "library: 2 statements (2 new) of 1 documents" in said
    assert "Skipped 1, exercises are not imported: parts/second.tex, line 6" in said
    assert not Corpus.objects.exists()


@pytest.mark.django_db
def test_a_statement_is_found_and_shown_with_its_macros(tmp_path, client, owner):
    import_corpus(actor=None, path=write(tmp_path / "paper", PAPER), slug="library")
    build_index(actor=None, corpus=corpus_named("library"), recipe="words")
    client.force_login(owner)
    page = client.get("/search/", {"corpus": "library", "q": "bounded compact subset"})
    assert r'data-source="$\mathbb{R}^n$"' in page.text
    assert "Theorem 1.1" in page.text


# Statements in the independent scan of data/construction. Ours differ as the lines below each count say.
@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("folder", "documents", "kinds"),
    [
        # All of the scan's. 56 definitions are "defish", which the scan does not count.
        ("openlogic/content", 468, {"proposition": 391, "theorem": 190, "lemma": 137, "corollary": 69,
                                    "definition": 447 + 56, "remark": 6}),
        # All of the scan's but 177 exercises.
        pytest.param(  # 600 pages in one document: as long as all the others together
            "construction/sources/book", 1, {"lemma": 181, "theorem": 141, "definition": 102, "corollary": 60},
            marks=pytest.mark.night,
        ),
        ("construction/sources/pfr", 1, {"lemma": 145, "definition": 30, "corollary": 18, "theorem": 15,
                                         "proposition": 10}),
        # The scan has two definitions less: a chapter that no document inputs has one within the other.
        ("construction/sources/FLT", 3, {"lemma": 96, "theorem": 88, "definition": 57 + 2, "corollary": 31,
                                         "remark": 17, "proposition": 2, "example": 1}),
        ("construction/sources/PaperStrong22", 1, {"theorem": 7, "remark": 6, "definition": 4, "assumption": 4,
                                                   "corollary": 4, "lemma": 4, "example": 1}),
    ],
)  # fmt: skip
def test_published_sources_give_the_statements_that_a_scan_of_them_found(folder, documents, kinds):
    found = read_sources(DATA / folder)
    read = [line.kind for _, _, line in found.lines]
    assert {kind: read.count(kind) for kind in kinds} == kinds
    assert len({line.document for _, _, line in found.lines}) == documents
    assert len({line.key for _, _, line in found.lines}) == len(read)
