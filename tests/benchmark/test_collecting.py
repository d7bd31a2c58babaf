"""Folders, archives and tables as people have them: recognised, mapped, checked as they will look, imported."""

import io
import json
import re
import zipfile
from string import ascii_letters

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from annotation.quarantine.actions import eligible
from benchmark.collecting.columns import columns_of
from benchmark.collecting.documents import Member, text_of, with_macros
from benchmark.collecting.formats import DOCUMENT, document
from benchmark.collecting.mapping import Reading, recognise
from benchmark.collecting.paths import Place, guesses, place_of
from benchmark.files.actions import attach
from benchmark.files.pictures import called
from benchmark.importing import uploading
from benchmark.models import (
    Attachment,
    CleanCopy,
    ImportUpload,
    Instance,
    OriginalFile,
    Output,
    Release,
    Run,
    System,
)
from benchmark.protocols import get_protocol, protocol_names
from benchmark.rendering.actions import render_now
from tests.benchmark import test_archives
from tests.benchmark.files import example
from tests.benchmark.pdfs import PARAGRAPH, paper, png
from tests.growing import grows_in_proportion, takes_less_than

pytestmark = pytest.mark.django_db
SYSTEMS = ["alpha", "beta", "gamma", "delta"]
SOURCE = r"\documentclass{article}\begin{document}\input{lemmas}\includegraphics{tower} Hence $x^2=%d$.\end{document}"


@pytest.fixture
def carl(client, coordinator, settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    client.force_login(coordinator)
    return client


def packed(files: dict[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name.endswith(".zip") else None)
    return file.getvalue()


def study(problems: int = 10) -> dict[str, str | bytes]:
    """One .tex, one .pdf and one .zip with figures per system and problem, and a statement for each problem."""
    figures = packed({"fig/tower.png": png("Ada"), "lemmas.tex": "By Lemma 1, $a<b$."})
    pdf = paper(PARAGRAPH)
    files: dict[str, str | bytes] = {}
    for number in range(1, problems + 1):
        files[f"study/problems/problem{number}.tex"] = (
            rf"\title{{Towers of height {number}}} Show $x^2={number}$."
        )
        for system in SYSTEMS:
            front = f"study/{system}/problem{number}/"
            files |= {front + "proof.tex": SOURCE % number, front + "proof.pdf": pdf}
            files[front + "figures.zip"] = figures
    return files


def sent(client, content: bytes, file_name: str, **terms: str) -> ImportUpload:
    reply = client.post(reverse("import-files"), {"file": SimpleUploadedFile(file_name, content), **terms})
    assert reply.status_code == 302, reply.content.decode()
    return ImportUpload.objects.latest("pk")


def mapped(client, upload: ImportUpload, **changes: str) -> ImportUpload:
    """The mapping page is sent as it is shown, with these changes; a worker checks it."""
    page = client.get(reverse("import-mapping", args=[upload.handle]))
    form = page.context["form"]
    given = {field.html_name: field.value() or "" for field in form}
    given["blank_abstains"] = "on"
    reply = client.post(reverse("import-mapping", args=[upload.handle]), {**given, **changes})
    assert reply.status_code == 302, reply.content.decode()
    uploading.work_imports()
    upload.refresh_from_db()
    return upload


def imported(client, upload: ImportUpload) -> ImportUpload:
    client.post(reverse("import-apply", args=[upload.handle]))
    uploading.work_imports()
    upload.refresh_from_db()
    assert upload.state == "applied", upload.refusal
    return upload


@pytest.mark.slow
def test_a_folder_with_text_pdf_and_figures_for_each_system_and_problem_becomes_a_study(carl):
    upload = sent(carl, packed(study()), "study.zip", name="towers")
    page = carl.get(reverse("import", args=[upload.handle]), follow=True).content.decode()
    assert "4 systems from alpha to gamma, 10 problems from problem1 to problem10" in page
    upload = mapped(carl, upload)
    assert (upload.state, upload.refusal, upload.faults) == ("checked", "", [])
    assert not Release.objects.exists()
    report = upload.report
    assert (report["instances"], len(report["runs"]), report["attachments"]) == (
        10,
        4,
        {"image": 40, "pdf": 40},
    )
    # a statement has one formula, a proof its own and that of the lemmas it inputs: 10 + 40 * 2
    assert (report["shown"]["formulas"], report["shown"]["failed"], report["pictures"]) == (90, 0, 0)
    imported(carl, upload)
    release = Release.objects.get(name="towers")
    assert (release.instances.count(), release.runs.count(), Output.objects.count()) == (10, 4, 40)
    assert release.source == "study.zip"
    problem = release.instances.get(key="problem3")
    assert problem.payload["title"] == "Towers of height 3"
    text = Output.objects.get(instance=problem, run__system__slug="beta").text
    assert "By Lemma 1" in text
    assert "x^2=3" in text
    details = AuditEvent.objects.get(verb="import_files").details
    assert details["mapping"]["outputs"] == "{system}/{problem}"
    files = Output.objects.get(instance=problem, run__system__slug="beta").attachments.order_by("number")
    assert [(file.copy.kind, file.original.name) for file in files] == [
        ("pdf", "beta/problem3/proof.pdf"),
        ("image", "beta/problem3/figures.zip: fig/tower.png"),
    ]
    assert CleanCopy.objects.count() == 2, "the same content is copied once"


@pytest.mark.slow
def test_a_figure_that_is_a_pdf_in_an_archive_is_a_picture_of_the_text_and_others_are_left(carl, towers):
    text = r"\documentclass{article}\begin{document}See \includegraphics{fig/plot}.\end{document}"
    archive = packed(
        {"fig/plot.pdf": paper("A plot."), "notes.pdf": paper("Notes."), "fig/unused.png": png("x")}
    )
    files = {"gpt/p1.tex": text, "gpt/p1_figures.zip": archive}
    imported(carl, mapped(carl, sent(carl, packed(files), "a.zip", release="towers")))
    found = Attachment.objects.filter(output__run__release=towers).order_by("number")
    assert [(row.original.name, row.copy.kind, row.shown_as) for row in found] == [
        ("gpt/p1_figures.zip: fig/plot.pdf", "image", ["fig/plot"]),
        ("gpt/p1_figures.zip: fig/unused.png", "image", None),
    ]


def test_other_documents_next_to_a_text_are_named_with_the_text_that_was_taken(carl, towers):
    files = {
        "gpt/p1/main.tex": r"\documentclass{article}\begin{document}\input{lemma}Done.\end{document}",
        "gpt/p1/lemma.tex": "A lemma.",
        "gpt/p1/old.tex": r"\documentclass{article}\begin{document}Another answer.\end{document}",
        "gpt/p1/summary.md": "What was tried.",
    }
    upload = mapped(carl, sent(carl, packed(files), "a.zip", release="towers"), outputs="{system}/{problem}")
    assert upload.state == "checked", upload.refusal
    assert upload.report["unreadable"] == [
        {"file": f"gpt/p1/{name}", "reason": "gpt/p1/main.tex is the text here and does not input it."}
        for name in ("old.tex", "summary.md")
    ]
    page = carl.get(reverse("import", args=[upload.handle])).content.decode()
    assert "2 files are left out" in page


@pytest.mark.slow
def test_a_pdf_alone_is_an_output_and_what_cannot_be_read_is_left_out_and_named(carl, towers):
    files = {
        "gpt/p1.pdf": paper(PARAGRAPH),
        "gpt/p2.pdf": b"%PDF-1.4 broken",
        "gpt/p2.zip": packed({"a.png": png("Ada")}),
    }
    upload = mapped(carl, sent(carl, packed(files), "a.zip", release="towers"))
    assert upload.state == "checked", upload.refusal
    assert upload.report["runs"][0]["states"] == {"answered": 1}
    assert upload.report["without_text"] == ["gpt/p2.pdf"]
    (unreadable,) = upload.report["unreadable"]
    assert unreadable["file"] == "gpt/p2.pdf"
    imported(carl, upload)
    output = Output.objects.get()
    assert (output.text, output.state, output.instance.key) == ("", "answered", "p1")
    assert output.attachments.get().copy.kind == "pdf"
    again = mapped(carl, sent(carl, packed(files), "a.zip", release="towers"))
    assert again.report["changed"] is False
    imported(carl, again)
    assert output.attachments.count() == 1


@pytest.mark.slow
def test_a_table_that_says_in_files_brings_outputs_without_text(carl, towers):
    rows = '{"instance_id": "p1", "text": "", "in_files": true}\n'
    upload = mapped(carl, sent(carl, rows.encode(), "a.jsonl", release="towers"), system="gpt")
    assert upload.state == "checked", (upload.refusal, upload.faults)
    imported(carl, upload)
    output = Output.objects.get()
    with pytest.raises(Refused, match="1 answer without a text or a file"):
        eligible(towers, {output.pk: output}, leave_out_undecided=False)
    attach(actor=None, subject=output, name="p1.pdf", data=paper(PARAGRAPH))
    assert eligible(towers, {output.pk: output}, leave_out_undecided=False) == {output.pk: output}


@pytest.mark.slow
def test_files_next_to_a_text_are_attached_to_the_output_that_they_belong_to(carl, towers):
    files = {
        "gpt/p1.tex": "One.",
        "gpt/p1_figures.zip": packed({"a.png": png("Ada")}),
        "gpt/P2.tex": "Two.",
        "gpt/P2.pdf": paper(PARAGRAPH),
    }
    imported(carl, mapped(carl, sent(carl, packed(files), "a.zip", release="towers")))
    found = OriginalFile.objects.values_list("attachment__output__instance__key", "name")
    assert set(found) == {("p1", "gpt/p1_figures.zip: a.png"), ("p2", "gpt/P2.pdf")}


@pytest.fixture
def towers(carl) -> Release:
    """A study of two problems without outputs."""
    upload = sent(
        carl, packed({f"problems/p{n}.md": f"# Tower {n}\n\nShow it." for n in (1, 2)}), "towers.zip"
    )
    imported(carl, mapped(carl, upload))
    return Release.objects.get(name="towers")


def test_a_study_of_problems_alone_takes_its_outputs_later(carl, towers):
    assert [each.payload["title"] for each in towers.instances.order_by("key")] == ["Tower 1", "Tower 2"]
    upload = sent(
        carl, packed({"P01_gpt.tex": "It is so.", "P02_gpt.tex": "So it is."}), "more.zip", release="towers"
    )
    upload = mapped(carl, upload)
    assert upload.state == "checked", upload.refusal
    imported(carl, upload)
    assert set(Output.objects.values_list("instance__key", "run__system__slug")) == {
        ("p1", "gpt"),
        ("p2", "gpt"),
    }


@pytest.mark.parametrize(
    "layout",
    [
        "{system}/{problem}/run{zero}.md",
        "{system}/{problem}/sample_{number:02d}.md",
        "{system}/{problem}/attempt-{number}.md",
        "{system}/{problem}/{zero}.md",
        "{system}/{problem}_{number:02d}.md",
        "{system}/{problem}/run_{zero}/proof.tex",
        "run{zero}/{system}/{problem}.md",
        "{system}/run{number}/{problem}.md",
        "{system}-run{number}/{problem}.md",
        "{system}_{problem}_{number}.md",
        "{problem}/{system}/{number}.md",
        "{problem}/{system}_{zero}.md",
        "outputs/{system}/{problem}/try {number}.md",
    ],
)
def test_the_number_of_an_attempt_is_found_wherever_people_write_it(layout):
    problems = [f"p{n}" for n in range(1, 9)]
    where = {
        layout.format(system=system, problem=problem, number=number, zero=number - 1): (
            system,
            problem,
            number,
        )
        for system in ("alpha", "gpt-5")
        for problem in problems
        for number in range(1, 5)
    }
    pattern = guesses(list(where), problems)[0].outputs
    first = 0 if "{zero}" in layout else 1
    for path, (system, problem, number) in where.items():
        assert place_of(pattern, path) == Place(system, problem, number - 1 + first)


def test_proofs_that_are_all_pdfs_are_outputs_of_problems_in_latex():
    statements = ["problems/p1.tex", "problems/p2.tex"]
    (first, *_) = guesses([*statements, "gpt/p1.pdf", "gpt/p2.pdf"])
    assert (first.outputs, first.problems, first.systems) == (
        "{system}/{problem}",
        "problems/{problem}",
        ("gpt",),
    )
    assert [guess.outputs for guess in guesses([*statements, "figures/tower1.pdf", "paper.pdf"])] == [""]


def test_attempts_that_paths_count_from_0_are_all_imported_and_the_dry_run_says_so(carl, towers):
    files = {f"gpt/p{n}/run{run}.md": f"Proof {run}." for n in (1, 2) for run in range(3)}
    files["gpt/p2/run1.md"] = ""
    upload = mapped(carl, sent(carl, packed(files), "a.zip", release="towers"))
    page = carl.get(reverse("import", args=[upload.handle])).content.decode()
    assert "The paths count attempts from 0, and here they count from 1" in page
    assert "gpt, p2, attempt 2: empty" in page
    imported(carl, upload)
    assert list(Output.objects.order_by("instance__key", "attempt").values_list("attempt", "text")) == [
        (1, "Proof 0."),
        (2, "Proof 1."),
        (3, "Proof 2."),
        (1, "Proof 0."),
        (2, ""),
        (3, "Proof 2."),
    ]


def test_a_table_may_call_its_attempts_as_people_do(carl, towers):
    content = (
        b"problem,model,proof,attempt\np1,gpt,It is.,run1\np1,gpt,It was.,sample_02\np2,gpt,It is.,last\n"
    )
    upload = mapped(carl, sent(carl, content, "a.csv", release="towers"))
    assert [(fault["line"], fault["reason"]) for fault in upload.faults] == [
        (4, "an attempt is a whole number, such as 2 (run2, sample_02 in a table)")
    ]
    upload = mapped(carl, sent(carl, content.replace(b"last", b"1"), "a.csv", release="towers"))
    imported(carl, upload)
    assert list(Output.objects.order_by("instance__key", "attempt").values_list("attempt", flat=True)) == [
        1,
        2,
        1,
    ]


def test_statements_next_to_outputs_are_no_outputs_of_a_study_that_has_them(carl, towers):
    files = {"problems/p1.md": "Show it.", "problems/p2.md": "Show it."}
    files |= {f"{system}/p{n}.md": "It is so." for system in ("gpt", "o3") for n in (1, 2)}
    upload = mapped(carl, sent(carl, packed(files), "a.zip", release="towers"))
    assert [run["name"] for run in upload.report["runs"]] == ["gpt", "o3"]
    assert upload.report["unused"] == ["problems/p1.md", "problems/p2.md"]


def test_the_mapping_of_the_last_files_is_where_the_next_begin(carl, towers):
    files = {"run-a/7/1.tex": "One.", "run-b/7/1.tex": "Two."}
    pattern = "run-{system}/*/{problem}"
    upload = mapped(carl, sent(carl, packed(files), "a.zip", release="towers"), outputs="own", own=pattern)
    imported(carl, upload)
    assert set(System.objects.values_list("slug", flat=True)) == {"a", "b"}
    later = sent(
        carl, packed({"run-c/8/2.tex": "Three.", "run-d/8/2.tex": "Four."}), "b.zip", release="towers"
    )
    page = carl.get(reverse("import-mapping", args=[later.handle]))
    assert page.context["reading"].outputs == pattern
    assert "as the last files of this study were" in page.content.decode()


def test_what_is_imported_is_what_the_page_showed_even_if_the_file_was_read_again_elsewhere(carl):
    upload = mapped(
        carl, sent(carl, b"problem,statement,other\np1,One is odd.,Two is odd.\n", "t.csv", name="t")
    )
    page = carl.get(reverse("import", args=[upload.handle])).content.decode()
    (shown,) = re.findall(r'name="checked" value="([^"]+)"', page)
    mapped(carl, upload, **{"field:statement": "other"})
    refused = carl.post(reverse("import-apply", args=[upload.handle]), {"checked": shown}, follow=True)
    assert "has been read again" in refused.content.decode()
    assert not Release.objects.exists()
    (shown,) = re.findall(r'name="checked" value="([^"]+)"', refused.content.decode())
    carl.post(reverse("import-apply", args=[upload.handle]), {"checked": shown})
    uploading.work_imports()
    assert Instance.objects.get().payload["statement"] == "Two is odd."


def test_the_preview_shows_another_pattern_and_stores_nothing(carl, towers):
    upload = sent(carl, packed({"x_p1.tex": "One.", "y_p1.tex": "Two."}), "a.zip", release="towers")
    given = {"outputs": "own", "own": "{problem}_{system}", "blank_abstains": "on", "preview": "1"}
    page = carl.post(reverse("import-mapping", args=[upload.handle]), given)
    assert {(row["system"], row["problem"]) for row in page.context["files"]} == {("p1", "x"), ("p1", "y")}
    assert "not in the release" in page.content.decode()
    upload.refresh_from_db()
    assert (upload.state, "mapping" in upload.terms) == ("recognised", False)


def test_a_typed_pattern_is_not_ignored_because_another_one_is_chosen(carl, towers):
    upload = sent(carl, packed({"x/p1.tex": "One.", "y/p1.tex": "Two."}), "a.zip", release="towers")
    given = {"outputs": "{system}/{problem}", "own": "{problem}/{system}", "preview": "1"}
    page = carl.post(reverse("import-mapping", args=[upload.handle]), given)
    assert page.context["form"].errors == {"own": ["Choose “Another pattern” above, or leave this empty."]}


@pytest.mark.parametrize("pattern", ["{system}", "a" * 300, "{system}{problem}*******"])
def test_a_pattern_that_cannot_be_read_is_refused_on_its_page(carl, towers, pattern):
    upload = sent(carl, packed({"x_p1.tex": "One."}), "a.zip", release="towers")
    page = carl.post(
        reverse("import-mapping", args=[upload.handle]), {"outputs": "own", "own": pattern, "system": "s"}
    )
    assert page.status_code == 400 or page.context["form"].errors


def test_blank_outputs_are_listed_and_count_as_abstained(carl, towers):
    files = {
        "gpt/p1.tex": "N/A",
        "gpt/p2.tex": r"\documentclass{article}\title{A proof}\begin{document}\maketitle\end{document}",
        "o3/p1.tex": "% nothing yet\n",
        "o3/p2.tex": "None of these numbers is prime, because each is even and greater than two.",
    }
    upload = mapped(carl, sent(carl, packed(files), "a.zip", release="towers"))
    assert {(each["system"], each["problem"], each["reason"]) for each in upload.report["blank"]} == {
        ("gpt", "p1", "only “N/A”"),
        ("gpt", "p2", "only a title or headings"),
        ("o3", "p1", "empty"),
    }
    page = carl.get(reverse("import", args=[upload.handle])).content.decode()
    assert "3 outputs are blank and count as abstained" in page
    imported(carl, upload)
    assert Output.objects.filter(state="abstained").count() == 3
    assert len(AuditEvent.objects.filter(verb="import_files").latest("pk").details["abstained"]) == 3


def test_without_that_choice_a_blank_output_is_what_its_text_says(carl, towers):
    upload = sent(carl, packed({"gpt/p1.tex": "N/A", "gpt/p2.tex": ""}), "a.zip", release="towers")
    upload = mapped(carl, upload, blank_abstains="")
    assert [(fault["file"], fault["reason"]) for fault in upload.faults] == [
        ("gpt/p2.tex", "an answered output needs a text")
    ]


def test_the_dry_run_names_formulas_that_will_not_be_set_and_pictures_that_are_missing(carl, towers):
    text = "First.\n\\includegraphics{lost}\n" + "".join(f"$\\Hom(A_{n})$\n" for n in range(12)) + "$x_1$"
    upload = mapped(carl, sent(carl, packed({"gpt/p1.tex": text}), "a.zip", release="towers"))
    shown = upload.report["shown"]
    assert (shown["formulas"], shown["failed"], len(shown["kinds"])) == (13, 12, 1)
    kind = shown["kinds"][0]
    assert ("\\Hom" in kind["kind"], kind["count"], len(kind["places"])) == (True, 12, 10)
    assert (kind["places"][0]["file"], kind["places"][0]["line"]) == ("gpt/p1.tex", 3)
    assert upload.report["missing"] == [{"file": "gpt/p1.tex", "line": 2, "source": "lost"}]


def test_an_archive_of_sources_is_one_document_with_its_inputs_and_bibliography(carl, towers):
    source = {
        "src/main.tex": "\\documentclass{a}\\begin{document}\\input{a/one}\\bibliography{refs}\\end{document}",
        "src/a/one.tex": "One. \\input{a/two.tex} \\input{../../etc/passwd} \\input{a/one}",
        "src/a/two.tex": "Two.",
        "src/main.bbl": "\\begin{thebibliography}{9}\\bibitem{k} Knuth\\end{thebibliography}",
    }
    upload = mapped(carl, sent(carl, packed({"gpt/p1.zip": packed(source)}), "a.zip", release="towers"))
    assert (upload.state, upload.report["without_text"]) == ("checked", [])
    imported(carl, upload)
    text = Output.objects.get().text
    assert all(
        words in text for words in ("One.", "Two.", "Knuth", "\\input{../../etc/passwd}", "\\input{a/one}")
    )


CSV = "Problem,Model,Proof,Remark\nP1,gpt,It is $x$.,=cmd()\nP2,gpt,,\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV.encode()),
        ("a.csv", CSV.replace(",", ";").encode("utf-8-sig")),
        (
            "a.json",
            b'{"all": [{"problem": "p1", "model": "gpt", "proof": "It is $x$."},\n {"problem": 2, "model": "gpt"}]}',
        ),
        (
            "a.jsonl",
            b'{"problem": "p1", "model": "gpt", "proof": "It is $x$."}\n{"problem": "p2", "model": "gpt"}\n',
        ),
    ],
)
def test_a_table_with_columns_of_any_name_becomes_outputs(carl, towers, name, content):
    upload = sent(carl, content, name, release="towers")
    page = carl.get(reverse("import-mapping", args=[upload.handle]))
    assert page.context["reading"].columns.keys() == {"instance_id", "system", "text"}
    upload = mapped(carl, upload)
    assert upload.state == "checked", (upload.refusal, upload.faults)
    imported(carl, upload)
    assert sorted(Output.objects.values_list("instance__key", "state", "text")) == [
        ("p1", "answered", "It is $x$."),
        ("p2", "abstained", ""),
    ]


def test_a_folder_with_a_json_file_for_each_output_is_a_table_that_knows_their_paths(carl, towers):
    files = {
        f"{system}/p{number}.json": json.dumps({"answer": f"Proof {number} of {system}."})
        for system in ("deep", "wide")
        for number in (2, 1)
    }
    upload = sent(carl, packed(files), "answers.zip", release="towers")
    upload = mapped(carl, upload, **{"field:system": "folder", "field:instance_id": "file"})
    assert upload.state == "checked", upload.faults
    imported(carl, upload)
    assert sorted(Output.objects.values_list("run__system__slug", "instance__key", "text")) == [
        (system, f"p{number}", f"Proof {number} of {system}.")
        for system in ("deep", "wide")
        for number in (1, 2)
    ]


def test_of_many_json_files_the_one_that_cannot_be_read_is_named_and_the_others_are_counted(carl, towers):
    files = {"deep/p1.json": '{"answer": "One."}', "deep/p2.json": '{"answer": ', "deep/p3.json": "[3]"}
    upload = sent(carl, packed(files), "answers.zip", release="towers")
    upload = mapped(carl, upload, **{"field:system": "folder", "field:instance_id": "file"})
    assert [fault["line"] for fault in upload.faults] == [2, 3]
    assert [fault["reason"].partition(":")[0] for fault in upload.faults] == ["deep/p2.json", "deep/p3.json"]
    assert not Output.objects.exists()


def test_the_column_that_names_the_problem_is_guessed_before_that_of_its_statement(carl, towers):
    """As MathArena and IMO-GradingBench publish their gradings: the statement is repeated in each row."""
    for header in ("problem_idx,problem,model_name,answer", "Problem ID,Problem,Model,Response"):
        content = f'{header}\np1,"Show $x$,\nplease.",gpt,It is.\n'.encode()
        upload = sent(carl, content, "a.csv", release="towers")
        page = carl.get(reverse("import-mapping", args=[upload.handle]))
        assert page.context["reading"].columns["instance_id"] == header.split(",")[0]


def test_answers_in_markdown_are_seen_and_shown_as_markdown_unless_the_form_or_the_row_says_otherwise(
    carl, towers
):
    rows = [
        {"problem": "p1", "model": "gpt", "proof": f"{'It is so. ' * 50}\n\n### Steps\n\n- **Case 1**: $x$."},
        {"problem": "p2", "model": "gpt", "proof": "It is $x$.", "markup": "plain"},
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    upload = mapped(carl, sent(carl, content, "a.jsonl", release="towers"))
    imported(carl, upload)
    assert sorted(Output.objects.values_list("instance__key", "text_format")) == [
        ("p1", "markdown"),
        ("p2", "plain"),
    ]
    later = json.dumps({"problem": "p1", "model": "claude", "proof": "It is ** so."}).encode()
    upload = mapped(carl, sent(carl, later, "b.jsonl", release="towers"), written="latex")
    imported(carl, upload)
    assert Output.objects.get(run__system__name="claude").text_format == "latex"


def test_what_is_wrong_with_a_row_is_said_in_words(carl, towers):
    content = b'problem,model,proof,attempt\n"p1\nagain",gpt,It is.,1\np1,gpt,It is.,0\n'
    upload = mapped(carl, sent(carl, content, "a.csv", release="towers"))
    assert [(fault["field"], fault["reason"]) for fault in upload.faults] == [
        ("instance_id", "must be one line, and not blank"),
        ("attempt", "attempts count from 1: where a file counts from 0, add 1 to all of them"),
    ]


def test_a_file_that_waits_for_its_mapping_can_be_deleted_on_that_page(carl, towers):
    upload = sent(carl, b"problem,model,proof\np1,gpt,It is.\n", "a.csv", release="towers")
    page = carl.get(reverse("import", args=[upload.handle]), follow=True).content.decode()
    assert '<button class="button" type="submit" form="delete">Delete the file</button>' in page
    assert f'action="{reverse("import-delete", args=[upload.handle])}" id="delete"' in page


def test_a_table_of_problems_becomes_a_study(carl):
    rows = [
        {"id": f"q{n}", "question": "Show $x$.", "solution": "Clear.", "guidance": {"objects": ["a tower"]}}
        for n in (1, 2)
    ]
    upload = sent(carl, json.dumps(rows, indent=2).encode(), "My sheet.json")
    upload = mapped(carl, upload, domain="topology")
    assert upload.state == "checked", (upload.refusal, upload.faults)
    imported(carl, upload)
    problem = Instance.objects.get(release__name="my-sheet", key="q2")
    assert (problem.domain, problem.payload["title"], problem.payload["guidance"]) == (
        "topology",
        "q2",
        {"objects": ["a tower"]},
    )


QUERIES = """,query,theorem,paper,paper_id,body-only-v1,body
0,Towers of prime height,Theorem 1.2.,Towers,2401.00005,A slogan.,"Every tower of height $p$, say, is tame."
1,Tame towers,Lemma 3,"Tame, wild",2401.00007v2,,
"""


def test_a_table_of_queries_with_their_theorem_in_columns_becomes_a_study(carl):
    """As authors keep them: written by pandas, with an index that has no name."""
    upload = sent(carl, QUERIES.encode(), "queries.csv", protocol="theorem_search", name="queries")
    page = carl.get(reverse("import-mapping", args=[upload.handle]))
    assert page.context["reading"].columns == {
        "instance_id": "index",
        "query": "query",
        "targets[1].paper": "paper_id",
        "targets[1].statement": "theorem",
        "targets[1].title": "paper",
        "targets[1].text": "body",
    }
    upload = mapped(carl, upload)
    assert upload.state == "checked", (upload.refusal, upload.faults)
    imported(carl, upload)
    release = Release.objects.get(name="queries")
    assert [instance.payload["targets"] for instance in release.instances.order_by("key")] == [
        [
            {
                "paper": "2401.00005",
                "statement": "Theorem 1.2.",
                "title": "Towers",
                "text": "Every tower of height $p$, say, is tame.",
            }
        ],
        [{"paper": "2401.00007v2", "statement": "Lemma 3", "title": "Tame, wild"}],
    ]


def test_a_list_is_mapped_as_a_whole_or_by_its_parts(carl):
    upload = sent(carl, QUERIES.encode(), "queries.csv", protocol="theorem_search", name="queries")
    page = carl.get(reverse("import-mapping", args=[upload.handle]))
    given = {field.html_name: field.value() or "" for field in page.context["form"]}
    reply = carl.post(
        reverse("import-mapping", args=[upload.handle]), {**given, "field:targets": "body-only-v1"}
    )
    assert "Choose a column for targets, or for its parts, not for both." in reply.content.decode()
    for name in given:
        if name.startswith("field:targets"):
            given[name] = ""
    reply = carl.post(reverse("import-mapping", args=[upload.handle]), given)
    assert "Choose a column for targets." in reply.content.decode()


def test_faults_of_a_table_have_its_rows_and_are_summarised_by_kind(carl, towers):
    rows = "".join(f"nobody{n},gpt,It is.,1\n" for n in range(30)) + "p1,gpt,It is.,1\np1,gpt,It is.,1\n"
    upload = mapped(
        carl, sent(carl, ("problem,model,proof,attempt\n" + rows).encode(), "a.csv", release="towers")
    )
    assert upload.refusal.startswith("31 problems of 2 kinds")
    assert {
        "file": "a.csv",
        "line": 33,
        "field": "attempt",
        "reason": "'p1/1' is already in a.csv, row 32",
    } in upload.faults
    page = carl.get(reverse("import", args=[upload.handle]))
    assert [kind["count"] for kind in page.context["kinds"]] == [30, 1]
    assert [len(kind["places"]) for kind in page.context["kinds"]] == [10, 1]
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"../../etc/p1.tex": "One."}, "leads out of the archive"),
        ({"/etc/p1.tex": "One."}, "leads out of the archive"),
        ({"x.bin": b"\0"}, "Nothing here can be read"),
        ({"a.csv": "x\n1", "b.csv": "x\n1"}, "several tables"),
        ({"a.json": "{}", "b.json": "{}", "b.pdf": b"%PDF-"}, "several tables"),
        ({"a.json": "{", "b.json": "["}, "a.json: "),
        ({"a/b": "One.", "a/b/c.tex": "Two."}, "appears twice"),
        ({f"{n}/" * 25 + "p.tex": "One." for n in range(2)}, "too deep"),
    ],
)
def test_a_hostile_archive_is_refused_with_a_sentence(carl, towers, files, said):
    upload = sent(carl, packed(files), "a.zip", release="towers")
    assert upload.state == "refused"
    assert said in upload.refusal + str(upload.faults)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"gpt/p1.tex": b"\xff\xfe"}, "not UTF-8"),
        ({"gpt/p1.tex": "x\0y"}, "NUL"),
        ({"gpt/p9.tex": "One."}, "there is no problem 'p9'"),
        ({"gpt/p1/a.tex": "One.", "gpt/p1/b.tex": "Two."}, "2 documents could be the text here"),
        ({"gpt/p1.tex": "One.", "gpt/p01.tex": "Two."}, "already in"),
        ({"g p/p1.tex": "One.", "g-p/p1.tex": "Two."}, "would be one system"),
        ({"gpt/p1.tex": "One.", "gpt/p1/figures.zip": b"PK broken"}, "not a readable zip"),
        ({"gpt/p1.tex": " ".join(map(str, range(320_000)))}, "larger than 2,000,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_and_nothing_is_written(carl, towers, files, reason):
    upload = sent(carl, packed(files), "a.zip", release="towers")
    upload = mapped(carl, upload, outputs="own", own="{system}/{problem}")
    assert upload.state == "refused"
    assert reason in " ".join(fault["reason"] for fault in upload.faults)
    assert all(fault["file"].startswith("g") for fault in upload.faults)
    assert not Run.objects.exists()


def test_a_zip_bomb_within_an_archive_is_refused(carl, towers):
    inner = packed({f"{n}.tex": b"0" * 30_000_000 for n in range(2)})
    upload = mapped(
        carl, sent(carl, packed({"gpt/p1.tex": "One.", "gpt/p1.zip": inner}), "a.zip", release="towers")
    )
    assert "unpacks to more than is read" in upload.faults[0]["reason"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: test_archives.link(), "is not a regular file"),
        (lambda: test_archives.long_list(100_000), "lists too many files"),
        (lambda: packed({f"{n}.tex": "" for n in range(5_001)}), "5,001 files; at most 5,000 are read"),
        (lambda: packed({"a/p1.tex": "One.", "b/../../p1.tex": "Two."}), "leads out of the archive"),
    ],
)
def test_links_and_endless_lists_are_refused_before_anything_is_read(carl, towers, content, said):
    upload = sent(carl, content(), "a.zip", release="towers")
    uploading.work_imports()
    upload.refresh_from_db()
    assert upload.state == "refused"
    assert said in upload.faults[0]["reason"]


def test_the_same_files_again_change_nothing_and_other_texts_are_refused(carl, towers):
    files = packed({"gpt/p1.tex": "One."})
    imported(carl, mapped(carl, sent(carl, files, "a.zip", release="towers")))
    again = mapped(carl, sent(carl, files, "a.zip", release="towers"))
    assert again.report["changed"] is False
    other = mapped(carl, sent(carl, packed({"gpt/p1.tex": "Two."}), "a.zip", release="towers"))
    assert "has other outputs" in other.refusal


def test_a_folder_is_refused_by_a_protocol_that_has_no_documents(carl):
    upload = sent(carl, packed({"problems/p1.tex": "One."}), "a.zip", protocol="theorem_search")
    page = carl.post(
        reverse("import-mapping", args=[upload.handle]), {"problems": "problems/{problem}", "domain": "x"}
    )
    assert "has no format of single documents" in page.content.decode()


def test_a_mapping_is_its_senders(carl, towers, django_user_model):
    upload = sent(carl, packed({"gpt/p1.tex": "One."}), "a.zip", release="towers")
    ImportUpload.objects.update(owner=django_user_model.objects.create(email="other@example.org"))
    assert carl.get(reverse("import-mapping", args=[upload.handle])).status_code == 404
    assert Reading().as_json()["track"] == "raw"


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEADER = (
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>'
)
STRINGS = [
    "<t>problem</t>",
    "<t>model</t>",
    "<t>proof</t>",
    "<r><t>It is </t></r><r><t>$x$.</t></r><rPh><t>no</t></rPh>",
]


def workbook(rows: str, declared: str = "", more: str = "") -> bytes:
    """A workbook as spreadsheet programs pack it, with these rows after the header."""
    strings = "".join(f"<si>{text}</si>" for text in [*STRINGS, f"<t>{more}</t>"])
    return packed(
        {
            "[Content_Types].xml": "<Types/>",
            "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>',
            "xl/worksheets/sheet1.xml": f'<?xml version="1.0"?>{declared}<worksheet xmlns="{MAIN}">'
            f"<sheetData>{HEADER}{rows}</sheetData></worksheet>",
        }
    )


def test_a_text_of_a_workbook_is_what_its_escapes_stand_for(carl, towers):
    written = "Let $x$._x000D_\n_x000d_\nThen $a_x005F_x0041_$."
    imported(carl, mapped(carl, sent(carl, with_text(written), "a.xlsx", release="towers")))
    assert Output.objects.get().text == "Let $x$.\n\nThen $a_x0041_$."


def with_text(escaped: str) -> bytes:
    cells = '<c r="A2"><v>2</v></c><c r="B2" t="s"><v>1</v></c><c r="C2" t="s"><v>4</v></c>'
    return workbook(f'<row r="2">{cells}</row>', more=escaped)


def test_the_escaped_halves_of_a_character_are_one_character(carl, towers):
    upload = sent(carl, with_text("_xD83D__xDE00_"), "a.xlsx", release="towers")
    assert upload.recognised["rows"][0][2] == "\N{GRINNING FACE}"
    imported(carl, mapped(carl, upload))
    assert Output.objects.get().text == "\N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("escaped", "reason"),
    [
        ("_xD800_", "contains half of a surrogate pair"),
        ("_xDE00__xD83D_", "contains half of a surrogate pair"),
        ("a_x0000_b", "contains a NUL character"),
    ],
)
def test_an_escape_that_no_database_can_hold_is_refused_with_its_line(carl, towers, escaped, reason):
    upload = mapped(carl, sent(carl, with_text(escaped), "a.xlsx", release="towers"))
    assert upload.faults == [{"file": "a.xlsx", "line": 2, "field": "text", "reason": reason}]


def test_a_workbook_becomes_outputs(carl, towers):
    rows = (
        '<row r="2"><c r="A2" t="inlineStr"><is><t>p1</t></is></c><c r="B2" t="str"><f>1+1</f><v>gpt</v></c>'
        '<c r="C2" t="s"><v>3</v></c></row><row r="3"/>'
        '<row r="4"><c r="A4"><v>2</v></c><c r="B4" t="s"><v>1</v></c></row>'
    )
    imported(carl, mapped(carl, sent(carl, workbook(rows), "a.xlsx", release="towers")))
    assert sorted(Output.objects.values_list("instance__key", "run__system__slug", "text")) == [
        ("p1", "gpt", "It is $x$."),
        ("p2", "model", ""),
    ]


def test_empty_columns_on_the_right_are_no_columns(carl, towers):
    """Spreadsheet programs write them for cells that once held something, or have a colour."""
    upload = sent(carl, b"problem,model,proof,,\np1,gpt,It is.,,\n", "a.csv", release="towers")
    assert upload.recognised["columns"] == ["problem", "model", "proof"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            workbook('<row><c t="s"><v>4</v></c></row>' * 300, more="x" * 900_000),
            "the workbook has more than 209,715,200 characters in its cells",
        ),
        (workbook('<row r="2"><c r="A2"><f>B2</f></c></row>'), "cell A2 is a formula without a value"),
        (workbook('<row r="1048576"><c r="A1048576"><v>1</v></c></row>'), "more than 50,000 rows"),
        (workbook('<row r="2"><c r="XFD2"><v>1</v></c></row>'), "at most 200 columns"),
        (workbook('<row r="2"><c r="A2" t="e"><v>#REF!</v></c></row>'), "shows the error #REF!"),
        (workbook('<row r="2"><c r="A2" t="s"><v>9</v></c></row>'), "refers to a text that is not there"),
        (workbook("<row>", '<!DOCTYPE x [<!ENTITY a "b">]>'), "declares entities"),
        (workbook("<row>"), "not well formed"),
        (workbook(f"<row><c><v>{'1' * 60_000_000}</v></c></row>"), "unpacks to more than is read"),
        (b"PK nothing", "not a readable XLSX workbook"),
        (packed({"x.xml": "<x/>"}), "not an XLSX workbook"),
    ],
)
def test_a_hostile_workbook_is_refused_with_the_place(carl, towers, content, said):
    upload = sent(carl, content, "a.xlsx", release="towers")
    assert upload.state == "refused"
    assert said in upload.refusal + str(upload.faults)
    assert ImportUpload.objects.filter(state="running").count() == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b"[1, 2]", "an object was expected"),
        ("a.json", b'[{"a": 1},\n {"a": }]', "not JSON"),
        ("a.csv", b"a,a\n1,2\n", "two columns are called 'a'"),
        ("a.csv", b"a,b\n1\n", "has 1 cells where the header has 2"),
        ("a.csv", b"\xff\xfea\x00", "UTF-16"),
        ("a.csv", b"a,,b\n1,2,3\n", "column 2 has no name"),
        ("a.csv", b"\n", "has no rows"),
        ("a.zip", b"PK", "not a readable zip"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_with_a_sentence(carl, towers, name, content, said):
    upload = sent(carl, content, name, release="towers")
    assert upload.state == "refused"
    assert said in upload.refusal + str(upload.faults)


def test_many_pictures_next_to_many_files_take_time_in_proportion(tmp_path):
    (tmp_path / "main.tex").touch()

    def write(size: int) -> list[Member]:
        names = [f"a{number}" for number in range(size // 100)]
        shown = "".join(rf"\includegraphics{{{name}}}\input{{{name}}}" for name in names)
        (tmp_path / "main.tex").write_text(rf"\documentclass{{article}}{shown}")
        figures = [Member(f"figures/b{name}.png", tmp_path, "figures.zip") for name in names]
        return [Member("main.tex", tmp_path / "main.tex"), *figures]

    assert grows_in_proportion(text_of, write, 5_000, 20_000)


@pytest.mark.slow
def test_a_table_of_a_thousand_columns_has_a_page_and_a_wider_one_is_refused(carl, towers, tmp_path):
    def table(columns: int) -> bytes:
        return json.dumps(
            {"proof": "a", "<b>&": {"c": 1}} | {f"c{number}": 0 for number in range(columns)}
        ).encode()

    upload = sent(carl, table(990), "a.jsonl", release="towers")
    address = reverse("import-mapping", args=[upload.handle])
    page = carl.get(address).content.decode()
    assert page.count('<option value="proof" selected>proof</option>') == 1
    assert '<option value="&lt;b&gt;&amp;.c">&lt;b&gt;&amp;.c</option>' in page
    assert takes_less_than(1.5, lambda: carl.get(address))
    (tmp_path / "a.jsonl").write_text(
        json.dumps({"proof": "a", "all": dict.fromkeys(map(str, range(999)), 0)})
    )
    assert recognise(tmp_path, "a.jsonl")["columns"] == ["proof", "all"]
    (tmp_path / "a.jsonl").write_bytes(table(1_000))
    with pytest.raises(Refused, match="has 1,002 columns; at most 1,000 are read"):
        recognise(tmp_path, "a.jsonl")


def test_pictures_are_looked_up_among_many_files_by_their_last_part():
    paths = [f"a/b{number}.png" for number in range(3_000)]
    names = [f"b{number}" for number in range(3_000)]
    assert takes_less_than(1, lambda: called(paths, names))
    assert called(["x: a/b.pdf", "a/c.pdf", "d.png"], ["./a/b", "b/c", "d"]) == {"x: a/b.pdf", "d.png"}


def test_the_definitions_of_a_study_are_looked_up_in_one_pass():
    many = "".join(rf"\def\{first}{second}{{}}" for first in ascii_letters for second in ascii_letters)
    assert takes_less_than(1, lambda: with_macros(r"\zzz and " * 100_000, "latex", many))
    assert with_macros(r"So \ZZ.", "latex", many).endswith("So \\ZZ.")


def test_parts_of_an_object_are_columns_unless_there_are_too_many_or_its_name_is_too_long():
    assert columns_of({"a": {"b": {"c": 1}}}) == {"a": {"b": {"c": 1}}, "a.b": {"c": 1}, "a.b.c": 1}
    large, named = dict.fromkeys(map(str, range(30_000)), 0), {"b": 1}
    assert list(columns_of({"a": large, "k" * 300: named, "c": named})) == ["a", "k" * 300, "c", "c.b"]


def test_names_in_other_encodings_are_read_as_they_were_written(carl, towers):
    content = packed({"gpt\u00e9/p1.tex": "One."})
    # the same bytes without the flag that says UTF-8, as macOS packs them: in the local header and in the list
    flags = b"\x14\x00\x00\x08"
    assert content.count(flags) == 2
    upload = mapped(carl, sent(carl, content.replace(flags, b"\x14\x00\x00\x00"), "a.zip", release="towers"))
    assert [run["name"] for run in upload.report["runs"]] == ["gpt\u00e9"]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("protocol", protocol_names())
def test_the_templates_of_every_protocol_can_be_imported_as_they_are(carl, protocol, ending):
    """With the example in them they are a study of one problem and one output, and nothing of it is lost."""
    for kind, terms in (
        ("problems", {"protocol": protocol, "name": "tried"}),
        ("outputs", {"release": "tried"}),
    ):
        template = carl.get(reverse("import-template", args=[protocol, kind, ending]))
        upload = mapped(carl, sent(carl, template.content, f"a.{ending}", **terms))
        assert upload.state == "checked", (upload.refusal, upload.faults)
        imported(carl, upload)
    output, made = Output.objects.filter(state="answered").get(), example(protocol)
    record = {**output.payload, "text": output.text, "statement": output.text, "state": output.state}
    given = {**output.instance.payload, "instance_id": output.instance.key, "domain": output.instance.domain}
    for stored, line in ((record, made.output), (given, made.instance)):
        assert {name: stored[name] for name in line if name in stored} == {
            name: value for name, value in line.items() if name in stored
        }
    assert output.run.system.slug == "system-a"


def test_every_field_of_every_protocol_says_what_it_is(carl):
    for name in protocol_names():
        page = carl.get(reverse("import-format", args=[name]))
        assert all(field.meaning for form in page.context["formats"] for field in form.fields)
    assert carl.get(reverse("import-format", args=["nothing"])).status_code == 404


def test_the_documentation_of_formats_is_that_of_the_schemas():
    assert DOCUMENT.read_text("utf-8") == document(), "run python -m benchmark.collecting.formats"


def test_the_same_by_rest(carl, towers):
    content = SimpleUploadedFile("a.zip", packed({"gpt/p1.tex": "One."}))
    reply = carl.post("/api/v1/imports/", {"kind": "files", "release": "towers", "file": content})
    assert (reply.status_code, reply.json()["recognised"]) == (201, {"paths": ["gpt/p1.tex"]})
    address = f"/api/v1/imports/{reply.json()['handle']}/"
    given = {"outputs": "{system}/{problem}", "typo": 1}
    assert carl.post(f"{address}mapping/", given, content_type="application/json").status_code == 400
    given.pop("typo")
    assert (
        carl.post(f"{address}mapping/", given, content_type="application/json").json()["state"] == "waiting"
    )
    uploading.work_imports()
    assert carl.get(address).json()["state"] == "checked"
    carl.post(f"{address}apply/")
    assert Output.objects.count() == 1
    refused = carl.post(f"{address}mapping/", given, content_type="application/json")
    assert refused.json()["reason"] == "The file is being processed, or has been imported."


MACROS = r"""\NeedsTeXFormat{LaTeX2e}\ProvidesPackage{macros}
\newcommand{\Hom}[2]{\operatorname{Hom}(#1,#2)}
\DeclareMathOperator{\im}{im}
\def\RR{\mathbb{R}}
"""


@pytest.mark.slow
def test_macros_of_the_folder_are_used_kept_for_the_release_and_seen_by_nobody_as_text(carl):
    texts = {f"study/gpt/p{n}.tex": rf"Let $\Hom{{A}}{{B}}$ and $\im f$ over $\RR^{n}$." for n in range(1, 6)}
    statements = {
        f"study/problems/p{n}.tex": rf"Show $\RR^{n}$ is not $\Hom{{A}}{{B}}$." for n in range(1, 6)
    }
    files = {**texts, **statements, "study/o3/p1.tex": "It is $x$."}
    without = mapped(carl, sent(carl, packed(files), "study.zip"))
    # 3 formulas in each of 5 texts and 2 in each of 5 statements need a macro; one needs none
    assert (without.report["shown"]["formulas"], without.report["shown"]["failed"]) == (26, 25)
    upload = mapped(carl, sent(carl, packed({**files, "study/macros.sty": MACROS}), "study.zip"))
    assert (upload.report["shown"]["formulas"], upload.report["shown"]["failed"]) == (26, 0)
    assert upload.report["unused_count"] == 0
    imported(carl, upload)
    assert Output.objects.get(run__system__slug="o3").text == "It is $x$."
    text = Output.objects.get(run__system__slug="gpt", instance__key="p1").text
    (document,) = render_now([(text, "latex")])
    assert [block.kind for block in document.blocks] == ["paragraph"]
    assert "macros" not in document.blocks[0].html
    later = mapped(carl, sent(carl, packed({"late/p1.tex": r"So $\im f$."}), "late.zip", release="study"))
    assert later.report["shown"]["failed"] == 0


def test_a_statement_in_markdown_is_shown_as_markdown(carl, towers):
    problem = towers.instances.get(key="p1")
    (statement,) = get_protocol("proofs").instance_parts(problem.payload)
    assert statement.text_format == "markdown"


def test_a_list_of_texts_in_a_column_of_text_is_its_paragraphs(carl, towers):
    row = {"problem": "p1", "generator": "gpt", "steps": ["Let $R_\\sigma$ be it.", "So it is."]}
    upload = mapped(carl, sent(carl, json.dumps(row).encode(), "a.jsonl", release="towers"))
    imported(carl, upload)
    output = Output.objects.get(run__system__name="gpt")
    assert output.text == "Let $R_\\sigma$ be it.\n\nSo it is."
