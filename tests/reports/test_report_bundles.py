"""Bundles of reports: a file for each submission or referee, each with what it is for and nothing else."""

import csv
import errno
import io
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from accounts.refusal import Refused
from annotation.core.visibility import Viewer
from annotation.models import Answer, Assignment, Campaign, Grade
from reports.models import ReportJob
from reports.printing.jobs import print_next
from reports.printing.report import ReportOrder, print_report
from tests.annotation.grading import graded_by
from tests.conftest import member
from tests.reports.graded import REMARK, N
from tests.reports.reading_pdf import text_of

pytestmark = pytest.mark.django_db
NAMES = ("Aurora", "Basalt", "study.test", "system-")


@pytest.fixture
def graded(graded_and_printed_once: Campaign) -> Campaign:
    return graded_and_printed_once


def bundle(campaign: Campaign, folder: Path, per: str, **wanted: bool) -> dict[str, bytes]:
    path = folder / "reports.zip"
    order = ReportOrder(campaign.release, campaign, items=True, score=False, per=per, **wanted)
    print_report(order, Viewer.STAFF, path, lambda done, total: None)
    with ZipFile(path) as made:
        return {name: made.read(name) for name in made.namelist()}


def text(content: bytes, folder: Path) -> str:
    (folder / "one.pdf").write_bytes(content)
    return text_of(folder / "one.pdf")


@pytest.mark.slow
def test_each_submission_has_a_file_with_the_verdict_before_the_text(graded, tmp_path):
    files = bundle(graded, tmp_path, "submission")
    lines = list(csv.DictReader(io.StringIO(files.pop("contents.csv").decode())))
    assert [line["file"] for line in lines] == list(files)
    assert len(files) == N
    first = next(name for name in files if name.startswith("problem-0-"))
    shown = text(files[first], tmp_path)
    assert shown.index("Verdict") < shown.index("incorrect") < shown.index("is invertible")
    assert REMARK in shown
    assert sum(REMARK in text(content, tmp_path) for content in files.values()) == 1
    assert {line["comments"] for line in lines} == {"0", "2"}


@pytest.mark.slow
def test_a_blinded_bundle_names_nobody_in_names_contents_or_pages(graded, tmp_path):
    for per in ("submission", "referee"):
        for name, content in bundle(graded, tmp_path, per).items():
            shown = content.decode() if name.endswith(".csv") else text(content, tmp_path)
            assert [word for word in NAMES if word.lower() in name or word in shown] == []


@pytest.mark.slow
def test_with_identities_files_are_called_by_system_or_by_referee(graded, tmp_path):
    names = bundle(graded, tmp_path, "submission", identities=True)
    assert sum("-aurora-" in name for name in names) == 3
    rater = User.objects.get(email="ada0@study.test").rater
    assert any(
        rater in text(content, tmp_path)
        for content in bundle(graded, tmp_path, "referee", identities=True).values()
    )


@pytest.mark.parametrize("names", [("张伟", "李娜"), ("Müller", "Muller")])
def test_no_referee_s_file_takes_the_place_of_another_s(opened, algebraist, tmp_path, names):
    other = member("bea@study.test", "Bea Algebraist", "reviewer", "algebra")
    for person, name in zip((algebraist, other), names, strict=True):
        User.objects.filter(pk=person.pk).update(rater=name)
        graded_by(person, opened, correctness="incorrect", rigour="2")
    path = tmp_path / "reports.zip"
    order = ReportOrder(opened.release, opened, items=True, score=False, per="referee", identities=True)
    print_report(order, Viewer.STAFF, path, lambda done, total: None)
    with ZipFile(path) as made:
        made.extractall(tmp_path / "files")
    printed = [file for file in (tmp_path / "files").iterdir() if file.suffix == ".pdf"]
    assert len(printed) == 2
    assert all(file.name.startswith("referee-") for file in printed)


@pytest.mark.slow
def test_a_referee_has_one_file_with_their_own_reports_and_the_passages_they_remarked_on(graded, tmp_path):
    ada = User.objects.get(email="ada0@study.test")
    other = graded.items.exclude(assignments__reviewer=ada).first()
    again = Assignment.objects.create(item=other, reviewer=ada, handle="second", position=9)
    grade = Grade.objects.create(assignment=again, rubric_sha256="0" * 64, idempotency_key="k2")
    Answer.objects.create(grade=grade, question="correctness", value="correct", comment="Fine with $y^2$.")
    files = bundle(graded, tmp_path, "referee")
    files.pop("contents.csv")
    assert len(files) == N
    shown = [text(content, tmp_path) for content in files.values()]
    (own,) = [one for one in shown if "Fine with" in one]
    assert "Contents" in own
    assert REMARK in own
    assert "The end of the text" not in own, "nothing was said about that passage"
    assert [one.count("Verdict") for one in shown if one is not own] == [1] * (N - 1)


def test_free_text_is_no_cell_of_the_table_but_comes_after_it(opened, coordinator, algebraist, tmp_path):
    words = "I doubt that $\\sqrt{2}$ is meant, and so on for the rest of a long report."
    graded_by(algebraist, opened, correctness="incorrect", rigour="2", remarks=words)
    files = bundle(opened, tmp_path, "referee")
    shown = text(files["referee-1.pdf"], tmp_path)
    assert (
        shown.index("incorrect")
        < shown.index("Anything else?")
        < shown.index("I doubt that $\\sqrt{2}$ is meant")
    )


def test_a_bundle_is_asked_for_followed_and_downloaded_as_a_zip(graded, coordinator, settings):
    client = Client()
    client.force_login(coordinator)
    listing = f"/reports/releases/{graded.release.name}/printed/"
    client.post(listing, {"campaign": "round", "per": "referee", "score": "on"})
    job = ReportJob.objects.get()
    assert (job.per, job.items, job.score, job.total) == ("referee", True, False, N)
    print_next()
    assert "Download ZIP" in client.get(f"/reports/printed/{job.pk}/").content.decode()
    sent = client.get(f"/reports/printed/{job.pk}/file/")
    assert (sent["Content-Type"], sent["Content-Disposition"].endswith(f'-{job.pk}.zip"')) == (
        "application/zip",
        True,
    )
    assert b"".join(sent.streaming_content).startswith(b"PK")


@pytest.mark.slow
def test_rest_and_the_command_make_bundles_too(graded, coordinator, tmp_path):
    client = Client()
    client.force_login(coordinator)
    address = f"/api/v1/releases/{graded.release.name}/reports/"
    made = client.post(address, {"campaign": "round", "per": "submission"}, content_type="application/json")
    assert (made.status_code, made.json()["per"], made.json()["total"]) == (202, "submission", N)
    out = tmp_path / "made.zip"
    call_command(
        "report",
        "--release",
        graded.release.name,
        "--campaign",
        "round",
        "--per",
        "submission",
        f"--out={out}",
    )
    with ZipFile(out) as bundled:
        assert len(bundled.namelist()) == N + 1


def test_a_bundle_with_the_score_is_refused(graded, tmp_path):
    order = ReportOrder(graded.release, graded, items=True, score=True, per="submission")
    with pytest.raises(Refused, match="no score"):
        print_report(order, Viewer.STAFF, tmp_path / "x.zip", lambda done, total: None)


def test_a_report_that_breaks_off_leaves_the_one_from_before(graded, tmp_path, monkeypatch):
    """A ZIP that was interrupted opened, with some of its files."""
    path = tmp_path / "out.zip"
    path.write_bytes(b"from before")
    write = ZipFile.writestr

    def full(bundle, *arguments, **terms):
        if bundle.namelist():
            raise OSError(errno.ENOSPC, "No space left on device")
        write(bundle, *arguments, **terms)

    monkeypatch.setattr(ZipFile, "writestr", full)
    with pytest.raises(CommandError, match="cannot be written: No space left on device"):
        call_command("report", release=graded.release.name, campaign="round", per="submission", out=path)
    assert [(left.name, left.read_bytes()) for left in tmp_path.iterdir()] == [("out.zip", b"from before")]
