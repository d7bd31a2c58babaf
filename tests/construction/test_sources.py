"""Sources: archives added one by one and in thousands, described, read again and removed."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import AuditEvent, User
from accounts.refusal import Refused
from construction.models import (
    BuildPaper,
    Publication,
    Reading,
    Source,
    SourceArchive,
    SourceFile,
    SourceState,
    SourceUpload,
    UploadedArchive,
)
from construction.reading.pairs import document_with_pairs
from construction.reading.process import Limits, Reader
from construction.sources.actions import (
    choose_main,
    describe_source,
    pair_otherwise,
    read_again,
    remove_source,
    undo_main,
    undo_pairing,
)
from construction.sources.adding import add_many, archives_in
from construction.sources.advice import WHAT_TO_DO
from construction.sources.manifest import FaultyManifest, ManifestRow, Published, read_manifest
from construction.sources.matching import decide, questions
from construction.sources.names import key_and_version
from construction.sources.queries import stale, statements_of
from tests.construction.archives import add_archive
from tests.latex.hostile_archives import ARCHIVES, tar, zipped

pytestmark = pytest.mark.django_db(transaction=True)

PAPER = rb"""\documentclass{article}
\newcommand{\eps}{\varepsilon}
\title{On \eps-nets}
\newtheorem{theorem}{Theorem}
\begin{document}
\section{Nets}
\begin{theorem}[Nets]\label{nets}Every space has an $\eps$-net.\end{theorem}
\begin{proof}See \cite{known} and \cite{unknown}, and \ref{nowhere}.\end{proof}
\section{More}
\begin{proof}Clear.\end{proof}
\begin{thebibliography}{1}\bibitem{known} A. Known. A title. 1999.\end{thebibliography}
\end{document}
"""
# 1 statement; 2 proofs, the second behind a heading, so that it proves nothing here; 2 cited keys; as formulas the one
# in the theorem, and the sign in the title.
COUNTS = {"statements": 1, "proofs": 2, "paired": 1, "citations": 2, "formulas": 2}
TITLE = "Nets of bounded operators between separable Banach spaces"
TWO = tar(("a.tex", PAPER), ("b.tex", PAPER))


def add(data: bytes = PAPER, name: str = "2401.00001v1.tar.gz", **row: Any) -> Source:
    return add_archive(actor=None, data=data, name=name, manifest=ManifestRow(**row) if row else None)


def test_what_an_archive_holds_is_stored_with_its_counts_and_its_bytes() -> None:
    data = gzip.compress(tar(("paper.tex", PAPER), ("figure.png", b"\x89PNG")))
    source = add(data)
    assert (source.key, source.version, source.state) == ("2401.00001", "v1", SourceState.READABLE)
    assert (source.main, source.form, source.others) == ("paper.tex", "gzip of tar", [["figure.png", 4]])
    assert source.title == "On \\varepsilon-nets"
    assert bytes(source.archive.data) == data
    assert hashlib.sha256(data).hexdigest() == source.sha256
    assert source.files.get().text == PAPER.decode()
    reading = source.reading
    assert {name: getattr(reading, name) for name in COUNTS} == COUNTS
    (statement,) = reading.outline["statements"]
    ((file, start, end),) = statement["places"]
    assert file == "paper.tex"
    assert PAPER.decode()[start:end].startswith("\\begin{theorem}[Nets]")
    assert "\\varepsilon" in statement["text"]
    assert reading.outline["unmatched"][0]["names"] == ["unknown"]
    assert reading.outline["unresolved"][0]["names"] == ["nowhere"]
    assert AuditEvent.objects.filter(verb="add_source", target_key=str(source.pk)).count() == 1


def test_the_same_bytes_again_are_there_already_and_other_bytes_are_refused() -> None:
    first = add()
    assert add(name="another-name.tex", key="other").pk == first.pk
    with pytest.raises(Refused, match=r"2401\.00001v1 is there with other bytes") as refused:
        add(PAPER + b"% more")
    assert refused.value.code == "other_bytes"
    assert Source.objects.count() == SourceFile.objects.count() == SourceArchive.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "key", "version"),
    [
        ("2203.02043v2.tar.gz", "2203.02043", "v2"),
        ("arXiv-2203.02043v2.gz", "2203.02043", "v2"),
        ("papers/0704.0001.zip", "0704.0001", ""),
        ("math0601001v1.gz", "math/0601001", "v1"),
        ("math.AG_0601001.tgz", "math/0601001", ""),
        ("hep-th9901001v3", "hep-th/9901001", "v3"),
        ("gadgets-v2.tar.gz", "gadgets", "v2"),
        ("gadgets.tex", "gadgets", ""),
        (".tar.gz", "source", ""),
    ],
)
def test_a_name_says_key_and_version(name: str, key: str, version: str) -> None:
    assert key_and_version(name) == (key, version)


@pytest.mark.slow
def test_every_hostile_archive_becomes_a_source_that_cannot_be_read_with_what_to_do(tmp_path: Path) -> None:
    for number, (make, _) in enumerate(ARCHIVES.values()):
        content = make()
        (tmp_path / f"h{number:02}.gz").write_bytes(content + (b" " if not content else b""))
    (tmp_path / "good.gz").write_bytes(gzip.compress(PAPER))
    report = add_many(actor=None, files=archives_in(tmp_path))
    lines = {line.file: line for line in report.lines}
    assert lines["good.gz"].code == ""
    for number, (name, (_, code)) in enumerate(ARCHIVES.items()):
        line = lines[f"h{number:02}.gz"]
        assert (line.code, name) == (code, name)
        assert line.sentence.endswith(".")
        assert line.what_to_do == WHAT_TO_DO[code]
    assert report.outcomes == {"added": len(ARCHIVES) + 1}
    assert Source.objects.filter(state=SourceState.READABLE).count() == 1
    assert Source.objects.filter(state=SourceState.UNREADABLE).count() == len(ARCHIVES)
    assert SourceFile.objects.count() == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(lines)


@pytest.mark.slow
def test_thousands_with_a_few_bad_ones_give_the_others_and_a_list_of_the_bad_ones(tmp_path: Path) -> None:
    members = [(f"2401.{n:05}v1.gz", gzip.compress(PAPER + b"%%%d" % n)) for n in range(40)]
    members[7] = ("2401.00007v1.gz", gzip.compress(b"%PDF-1.5"))
    members[9] = ("2401.00009v1.gz", gzip.compress(PAPER)[:-20])
    members.append(("2401.00040.pdf", b"%PDF-1.5 alone"))
    for outer in (tar(*members), zipped(*members)):
        path = tmp_path / "month.outer"
        path.write_bytes(outer)
        report = add_many(actor=None, files=archives_in(path))
        assert report.archives == 41
        assert report.codes == {"broken": 1, "pdf_only": 2} or report.outcomes == {"there": 41}
    assert Source.objects.filter(state=SourceState.READABLE).count() == 38
    assert Source.objects.filter(state=SourceState.UNREADABLE).count() == 3


def test_a_dry_run_stores_nothing_and_says_what_would_come(tmp_path: Path) -> None:
    add(PAPER)
    (tmp_path / "2401.00001v1.tex").write_bytes(PAPER + b"%")
    (tmp_path / "a.gz").write_bytes(gzip.compress(PAPER + b"%%"))
    (tmp_path / "a.tgz").write_bytes(gzip.compress(PAPER + b"%%%"))
    (tmp_path / "same.gz").write_bytes(PAPER)
    before = (Source.objects.count(), AuditEvent.objects.count())
    report = add_many(actor=None, files=archives_in(tmp_path), dry_run=True)
    assert {line.file: (line.outcome, line.code) for line in report.lines} == {
        "2401.00001v1.tex": ("refused", "other_bytes"),
        "a.gz": ("new", ""),
        "a.tgz": ("refused", "twice"),
        "same.gz": ("there", ""),
    }
    assert (Source.objects.count(), AuditEvent.objects.count()) == before


def test_a_folder_that_is_one_paper_is_refused_with_the_command_that_packs_it(tmp_path: Path) -> None:
    (tmp_path / "sections").mkdir()
    (tmp_path / "main.tex").write_bytes(PAPER)
    (tmp_path / "sections" / "one.tex").write_bytes(b"\\section{One}")
    with pytest.raises(Refused, match="tar czf"):
        archives_in(tmp_path)
    with pytest.raises(Refused, match="no archive"):
        archives_in(tmp_path / "nothing" if (tmp_path / "nothing").mkdir() is None else tmp_path)


MANIFEST = """file,key,version,title,authors,year,category,domain,licence
2401.00001v1.tar.gz,,,Gadgets,"Ann Author; Bo Writer",2024,math.CO,combinatorics,CC-BY-4.0
"""


def test_a_manifest_says_what_is_known_of_a_paper(tmp_path: Path) -> None:
    (tmp_path / "2401.00001v1.tar.gz").write_bytes(PAPER)
    add_many(actor=None, files=archives_in(tmp_path), manifest=read_manifest(MANIFEST.encode()))
    source = Source.objects.get()
    assert (source.key, source.version, source.title) == ("2401.00001", "v1", "Gadgets")
    assert (source.authors, source.year) == (["Ann Author", "Bo Writer"], 2024)
    assert (source.category, source.domain, source.licence) == ("math.CO", "combinatorics", "CC-BY-4.0")


def test_the_version_of_a_manifest_is_written_as_arxiv_writes_it() -> None:
    rows = read_manifest(b"file,version\na,2\nb,v2\nc,draft\nd,\n")
    assert [row.version for row in rows] == ["v2", "v2", "draft", ""]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", [(1, "", "empty")]),
        ("file,titel,key\n", [(1, "titel", "unknown column")]),
        ("title\nx\n", [(1, "header", "needs a column file or key")]),
        ("file,year\na,1999\nb,19x9\n\nc,3000\n", [(3, "year", "19x9"), (5, "year", "3000")]),
        ("file,title\na,b,c\n", [(2, "", "3 cells")]),
        ('file,title\na,"two\nlines"\nb\n', [(4, "", "1 cells")]),
        ("file,key\na,x\na,y\nb,x\n", [(3, "file", "line 2"), (4, "key", "line 2")]),
        ("file,key\n,\n", [(1, "", "no rows")]),
        ("file,key,year\n,,2000\n", [(2, "file", "is empty")]),
        (
            "file,published_doi\na,not-a-doi\n",
            [(2, "published_title", "empty"), (2, "published_doi", "not-a-doi")],
        ),
        (f"file,licence\na,{'x' * 101}\n", [(2, "licence", "more than 100")]),
        ('file,title\na,"open\n', [(2, "", "not CSV")]),
        ("file,title\na,\0\n", [(2, "", "NUL")]),
    ],
)
def test_a_faulty_manifest_is_refused_with_line_and_field(
    text: str, faults: list[tuple[int, str, str]]
) -> None:
    with pytest.raises(FaultyManifest) as refused:
        read_manifest(text.encode())
    found = [(fault.line, fault.field) for fault in refused.value.faults]
    assert found == [(line, field) for line, field, _ in faults]
    for fault, (_, _, words) in zip(refused.value.faults, faults, strict=True):
        assert words in fault.reason


def test_a_manifest_that_names_a_file_which_is_not_there_stops_everything(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(PAPER))
    with pytest.raises(FaultyManifest, match=r"line 2, file: 'b\.gz' is not among the archives"):
        add_many(actor=None, files=archives_in(tmp_path), manifest=read_manifest(b"file,title\nb.gz,x\n"))
    assert not Source.objects.exists()


def test_somebody_chooses_the_main_file_and_undoes_it(owner: User) -> None:
    source = add(TWO)
    assert (source.state, source.code, source.main) == (SourceState.UNDECIDED, "tie", "")
    assert [path for path, _ in source.candidates] == ["a.tex", "b.tex"]
    with pytest.raises(Refused, match="not a LaTeX document"):
        choose_main(actor=owner, source=source, path="c.tex")
    chosen = choose_main(actor=owner, source=source, path="b.tex")
    assert (chosen.state, chosen.main, chosen.main_chosen_by) == (SourceState.READABLE, "b.tex", owner)
    assert chosen.reading.statements == 1
    back = undo_main(actor=owner, source=chosen)
    assert (back.state, back.code, back.main, back.main_chosen_by) == (SourceState.UNDECIDED, "tie", "", None)
    assert not Reading.objects.exists()
    with pytest.raises(Refused, match="Nobody has chosen"):
        undo_main(actor=owner, source=back)
    verbs = list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["add_source", "choose_main_file", "undo_main_file"]


def test_a_choice_of_the_program_can_be_replaced_and_comes_back(owner: User) -> None:
    source = add(tar(("a.tex", PAPER), ("draft-b.tex", PAPER)))
    assert source.main == "a.tex"
    chosen = choose_main(actor=owner, source=source, path="draft-b.tex")
    assert chosen.reading.main == "draft-b.tex"
    back = undo_main(actor=owner, source=chosen)
    assert (back.main, Reading.objects.get().main) == ("a.tex", "a.tex")


PROOF, ALONE = (
    ("2401.00001v1.tex", PAPER.index(b"\\begin{proof}See")),
    ("2401.00001v1.tex", PAPER.index(b"\\begin{proof}Clear")),
)
NETS = ("2401.00001v1.tex", PAPER.index(b"\\begin{theorem}[Nets]"))


def pairing(source: Source) -> list[tuple[int | None, str]]:
    outline = Reading.objects.get(source=source).outline
    return [(one["statement"], one["evidence"]) for one in outline["proofs"]]


def test_somebody_pairs_a_proof_otherwise_and_undoes_it(owner: User) -> None:
    source = add(name="2401.00001v1.tex")
    by_rule = [(0, "adjacent"), (None, "across a heading")]
    assert pairing(source) == by_rule
    pair_otherwise(actor=owner, source=source, proof=ALONE, statement=NETS)
    pair_otherwise(actor=owner, source=source, proof=PROOF, statement=None)
    assert pairing(source) == [(None, "by hand"), (0, "by hand")]
    assert Reading.objects.get().paired == 1
    pair_otherwise(actor=owner, source=source, proof=PROOF, statement=NETS)
    assert pairing(source) == [(0, "by hand"), (0, "by hand")]
    assert Reading.objects.get().paired == 2
    undo_pairing(actor=owner, source=source, proof=PROOF)
    undo_pairing(actor=owner, source=source, proof=ALONE)
    assert pairing(source) == by_rule
    with pytest.raises(Refused, match="not paired by hand"):
        undo_pairing(actor=owner, source=source, proof=ALONE)
    for proof, statement, reason in ((NETS, NETS, "No proof begins"), (PROOF, ALONE, "No statement begins")):
        with pytest.raises(Refused, match=reason):
            pair_otherwise(actor=owner, source=source, proof=proof, statement=statement)
    verbs = AuditEvent.objects.filter(target_key=str(source.pk)).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["add_source", *["pair_proof"] * 3, *["undo_pair_proof"] * 2]


def test_a_proof_that_is_in_no_file_is_left_as_it_is() -> None:
    proof = {"statement": None, "evidence": "none", "places": []}
    outline = {"statements": [{"places": []}], "proofs": [proof]}
    for pairs in ([], [("a.tex", 7, "", 0)]):
        assert document_with_pairs(outline, pairs) == outline


def test_a_pair_made_by_hand_outlives_reading_again_and_another_main_file(owner: User) -> None:
    source = add(tar(("a.tex", PAPER), ("draft-b.tex", PAPER)))
    pair_otherwise(actor=owner, source=source, proof=("a.tex", ALONE[1]), statement=("a.tex", NETS[1]))
    with Reader() as reader:
        read_again(source=source, reader=reader)
    assert pairing(source)[1] == (0, "by hand")
    choose_main(actor=owner, source=source, path="draft-b.tex")
    assert pairing(source)[1] == (None, "across a heading")
    undo_main(actor=owner, source=Source.objects.get())
    assert pairing(source)[1] == (0, "by hand")


def in_a_build(source: Source) -> None:
    from construction.models import Build

    build = Build.objects.create(
        name="october", protocol="lemmas", recipe={}, prompts={}, recipe_sha256="0" * 64,
        sources_sha256="0" * 64, seed=1, endpoint="local", model="writer", prompt_price=0, completion_price=0,
        max_tokens=10_000,
    )  # fmt: skip
    BuildPaper.objects.create(run=build, source=source, main=source.main, ordinal=0)


def test_what_a_build_uses_stays_as_it_is_but_for_its_licence(owner: User) -> None:
    source = add(domain="combinatorics")
    in_a_build(source)
    with pytest.raises(Refused, match="The build october uses this source"):
        choose_main(actor=owner, source=source, path=source.main)
    with pytest.raises(Refused, match="The build october uses this source"):
        remove_source(actor=owner, source=source)
    with pytest.raises(Refused, match="so its domain stays"):
        describe_source(actor=owner, source=source, changes={"domain": "analysis", "licence": "CC0-1.0"})
    assert describe_source(actor=owner, source=source, changes={"licence": "CC0-1.0"}).licence == "CC0-1.0"


def test_a_source_is_removed_with_everything_of_it_and_can_be_added_again(owner: User) -> None:
    source = add(published=Published("On nets"))
    remove_source(actor=owner, source=source)
    for model in (Source, SourceFile, SourceArchive, Reading, Publication):
        assert not model.objects.exists()
    assert AuditEvent.objects.get(verb="remove_source").details["key"] == "2401.00001"
    assert add().state == SourceState.READABLE


def test_published_papers_are_compared_and_open_questions_are_answered_by_people(owner: User) -> None:
    about = {
        "title": TITLE,
        "authors": ("Ann Author",),
        "year": 2024,
    }
    same = add(
        PAPER,
        "a.gz",
        published=Published(TITLE, ("Ann Author",), 2025),
        **about,
    )
    other = add(PAPER + b"%", "b.gz", published=Published("Primes in progressions", ("C. Dee",)), **about)
    asked = add(
        PAPER + b"%%",
        "c.gz",
        published=Published(TITLE),
        **about,
    )
    assert [s.publication.identity for s in (same, other, asked)] == ["same", "different", "ask"]
    (question,) = questions()
    assert question.source == asked
    with pytest.raises(Refused, match="certain about this pair"):
        decide(actor=owner, publication=same.publication, decision="different")
    decide(actor=owner, publication=question, decision="later")
    assert questions().get().identity == "ask"
    decided = decide(actor=owner, publication=question, decision="same")
    assert (decided.identity, decided.decided_by) == ("same", owner)
    assert not questions().exists()
    describe_source(actor=owner, source=asked, changes={"licence": "MIT"})
    assert questions("decided").get() == decided
    decide(actor=owner, publication=question, decision="")
    assert questions().count() == 1
    decide(actor=owner, publication=question, decision="same")
    describe_source(actor=owner, source=asked, changes={"published": Published("Nets of Banach spaces")})
    assert Publication.objects.get(source=asked).decision == ""
    details = (
        AuditEvent.objects.filter(verb="decide_publication").order_by("pk").values_list("details", flat=True)
    )
    assert [(one["before"], one["decision"]) for one in details] == [
        ("", "later"), ("later", "same"), ("same", ""), ("", "same"),
    ]  # fmt: skip


def test_sources_are_counted_again_when_the_outline_changes() -> None:
    source = add()
    assert not stale().exists()
    Reading.objects.update(version="an older one", statements=99)
    assert stale().get() == source
    call_command("read_sources")
    assert Reading.objects.get().statements == 1
    assert not stale().exists()


@pytest.mark.slow
def test_a_source_that_took_too_long_is_read_again_with_what_it_had() -> None:
    slow = b"\\documentclass{article}\\begin{document}" + b"\\begin{theorem}$a$" * 60_000 + b"\\end{document}"
    with Reader(Limits(processor=1)) as reader:
        from construction.sources.actions import store

        submitted = reader.submitted("slow.tex", slow, hashlib.sha256(slow).hexdigest())
        assert submitted.code == "too_slow"
        assert store(actor=None, submitted=submitted, data=slow, row=None).code == "too_slow"
        source = Source.objects.get()
        assert stale().get() == source
        assert read_again(source=source, reader=reader) == "too_slow"
    good = add()
    with Reader(Limits(memory=80 * 1024**2)) as reader:
        assert reader.submitted("x", slow, "0" * 64).code == "too_large"
    with Reader(Limits(clock=0.05)) as reader:
        assert reader.submitted("x", slow, "0" * 64).code == "too_slow"
        assert reader.submitted("y", PAPER, "0" * 64).form in ("tex", "unknown")
    assert good.state == SourceState.READABLE


def test_the_commands_import_and_export(
    owner: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "2401.00001v1.gz").write_bytes(gzip.compress(PAPER))
    (tmp_path / "bad.gz").write_bytes(b"%PDF-1.5")
    call_command("import_sources", str(tmp_path), "--dry-run")
    shown = capsys.readouterr().out
    assert "2 archives: 2 new. Nothing was stored; 1 of them pdf_only." in shown
    assert "pdf_only: The source is a PDF, which has no LaTeX. Ask the authors" in shown
    assert not Source.objects.exists()
    call_command("import_sources", str(tmp_path), "--json")
    assert json.loads(capsys.readouterr().out)["outcomes"] == {"added": 2}
    call_command("import_sources", str(tmp_path), "--json")
    assert json.loads(capsys.readouterr().out)["outcomes"] == {"there": 2}
    call_command("api", "GET", "sources/statements.jsonl?key=2401.00001&key=bad")
    (line,) = capsys.readouterr().out.splitlines()
    statement = json.loads(line)
    assert (statement["source"], statement["version"], statement["kind"]) == ("2401.00001", "v1", "theorem")
    file = SourceFile.objects.get(path=statement["file"])
    assert file.text[statement["start"] : statement["end"]].startswith("\\begin{theorem}")
    with pytest.raises(CommandError, match="nothing at"):
        call_command("import_sources", str(tmp_path / "nowhere"))


def test_statements_are_those_of_readable_sources_only() -> None:
    add()
    add(TWO, "two.tar")
    assert [one["source"] for one in statements_of(Source.objects.all())] == ["2401.00001"]


def test_an_outer_archive_in_another_is_not_unpacked(tmp_path: Path) -> None:
    inner = tar(("x.gz", gzip.compress(PAPER)))
    path = tmp_path / "all.tar"
    path.write_bytes(tar(("one.tar", inner), ("two.gz", gzip.compress(PAPER))))
    report = add_many(actor=None, files=archives_in(path), dry_run=True)
    assert {line.file: line.code for line in report.lines} == {"one.tar": "nested", "two.gz": ""}


def test_no_upload_is_left_by_actions_on_files(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(PAPER))
    add_many(actor=None, files=archives_in(tmp_path))
    assert not SourceUpload.objects.exists()
    assert not UploadedArchive.objects.exists()
