"""Reports that a worker prints: asked for, claimed once, survived by others, private, and forgotten in time."""

import datetime as dt
import errno
import os
import stat
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusal import NotAllowed, Refused
from annotation.models import Campaign
from benchmark.tuples.actions import declare_tuple
from reports.models import ReportJob, ReportState
from reports.printing import jobs as report_jobs
from reports.printing import report as report_printing
from reports.printing.claims import claim, finish, keep
from reports.printing.jobs import (
    MAX_OPEN,
    ask_report,
    cancel_report,
    print_next,
    reconcile_reports,
    retry_report,
)
from reports.printing.report import ReportOrder
from tests.factories import CampaignFactory, ItemFactory, OutputFactory, RunFactory
from tests.reports.reading_pdf import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def graded(graded_and_printed_once: Campaign) -> Campaign:
    return graded_and_printed_once


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path, monkeypatch):
    settings.REPORT_DIR = tmp_path / "reports"
    monkeypatch.setattr(report_jobs, "ring", lambda: None)
    monkeypatch.setattr(report_printing, "CHUNK", 2)


@pytest.fixture
def order(graded) -> ReportOrder:
    return ReportOrder(graded.release, graded, items=True, score=False)


@pytest.fixture
def job(order, coordinator) -> ReportJob:
    return ask_report(actor=coordinator, order=order)


def files(settings) -> list[Path]:
    return sorted(Path(settings.REPORT_DIR).glob("*"))


def again(job: ReportJob) -> ReportJob:
    job.refresh_from_db()
    return job


def overdue(job: ReportJob) -> None:
    """As if its worker had not been heard of for a long time."""
    ReportJob.objects.filter(pk=job.pk).update(lease_until=timezone.now() - dt.timedelta(seconds=1))


def signed_in(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_a_report_whose_worker_died_before_the_clock_was_set_back_waits_for_one_lease(job):
    claim()
    ReportJob.objects.update(lease_until=timezone.now() + dt.timedelta(days=365))
    assert reconcile_reports()["returned"] == 0
    assert again(job).lease_until < timezone.now() + dt.timedelta(hours=1)


@pytest.mark.parametrize("hours", [6, -6])
def test_a_worker_whose_clock_is_hours_off_leaves_the_reports_of_others_to_them(job, monkeypatch, hours):
    if connection.vendor != "postgresql":
        hours = 0  # without a database server all processes share the one clock of their machine
    right, off = timezone.now, dt.timedelta(hours=hours)
    held = claim()
    monkeypatch.setattr(timezone, "now", lambda: right() + off)
    assert reconcile_reports()["returned"] == 0
    assert keep(held, 1, 5)
    monkeypatch.setattr(timezone, "now", right)
    assert right() < again(job).lease_until < right() + dt.timedelta(hours=1)


@pytest.mark.slow
def test_a_report_is_printed_and_its_file_is_for_this_user_alone(job, settings, coordinator):
    assert print_next()
    assert not print_next()
    assert (again(job).state, job.done, job.total, job.lease_owner) == (ReportState.DONE, 5, 5, "")
    (file,) = files(settings)
    assert file.name == job.file
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(file.parent).st_mode) == 0o700
    assert "Grader 1" in text_of(file)
    assert AuditEvent.objects.filter(actor=coordinator, verb="ask for report").count() == 1


def test_two_workers_never_hold_the_same_report(job):
    assert claim() is not None
    assert claim() is None


@pytest.mark.slow
def test_the_report_of_a_dead_worker_is_printed_by_another_and_the_first_writes_nothing(job, settings):
    first = claim()
    overdue(job)
    assert reconcile_reports()["returned"] == 1
    assert print_next()
    assert not keep(first, 1, 5)
    assert not finish(first, file="0.pdf", sha256="0" * 64, size=1, pages=1)
    assert again(job).state == ReportState.DONE
    assert [file.name for file in files(settings)] == [job.file]


def test_after_three_dead_workers_it_has_failed_in_words(job):
    for _ in range(3):
        assert claim() is not None
        overdue(job)
        reconcile_reports()
    assert claim() is None
    assert again(job).state == ReportState.FAILED
    assert "stopped 3 times" in job.error


@pytest.mark.slow
def test_a_cancelled_report_stops_after_its_part_and_leaves_no_file(job, coordinator, settings, monkeypatch):
    printing = report_jobs.print_report

    def cancelled_on_the_way(order, who, path, progress):
        def hear(done: int, total: int) -> None:
            if done:
                cancel_report(actor=coordinator, job=job)
            progress(done, total)

        return printing(order, who, path, hear)

    monkeypatch.setattr(report_jobs, "print_report", cancelled_on_the_way)
    assert print_next()
    assert (again(job).state, job.done) == (ReportState.CANCELLED, 0)
    assert files(settings) == []
    with pytest.raises(Refused, match="neither queued nor running"):
        cancel_report(actor=coordinator, job=job)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ZeroDivisionError(), "ZeroDivisionError"),
        (OSError(errno.ENOSPC, "No space left on device", "/srv/reports/1.pdf"), "No space left on device"),
    ],
)
def test_a_failure_is_kept_in_words_and_may_be_tried_again(job, coordinator, monkeypatch, error, words):
    def broken(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(report_jobs, "print_report", broken)
        print_next()
    assert (again(job).state, job.error.split(".")[0]) == (
        ReportState.FAILED,
        f"Printing failed: {words}",
    )
    retry_report(actor=coordinator, job=job)
    print_next()
    assert again(job).state == ReportState.DONE
    with pytest.raises(Refused, match="failed, was cancelled"):
        retry_report(actor=coordinator, job=job)


def test_somebody_who_no_longer_runs_the_study_gets_nothing(job, coordinator, settings):
    coordinator.roles.all().delete()
    print_next()
    assert again(job).state == ReportState.FAILED
    assert "may no longer see it" in job.error
    assert files(settings) == []


@pytest.mark.slow
def test_a_report_that_is_too_large_is_refused(job, settings, monkeypatch):
    monkeypatch.setattr(report_jobs, "MAX_BYTES", 100)
    print_next()
    assert "choose a campaign" in again(job).error
    assert files(settings) == []


@pytest.mark.slow
def test_files_go_when_their_time_is_over_and_strays_after_a_day(job, settings):
    print_next()
    stray = files(settings)[0].with_name("ab12.pdf")
    stray.write_bytes(b"left behind")
    assert reconcile_reports()["removed"] == 0
    os.utime(stray, (0, 0))
    ReportJob.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
    assert reconcile_reports()["removed"] == 2
    assert files(settings) == []
    assert (again(job).state, job.file) == (ReportState.DONE, "")


@pytest.mark.slow
@pytest.mark.parametrize("gone", ["expired", "lost"])
def test_a_report_whose_file_is_gone_says_so_and_is_printed_again(job, coordinator, settings, gone):
    """A restored backup, for example, may be without the files."""
    print_next()
    if gone == "lost":
        files(settings)[0].unlink()
    else:
        ReportJob.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
        reconcile_reports()
    client = signed_in(coordinator)
    assert client.get(f"/api/v1/reports/{job.pk}/").json()["available"] is False
    page = client.get(f"/reports/printed/{job.pk}/file/", follow=True).content.decode()
    assert "The file is gone" in page
    assert "Download" not in page
    assert "Print again" in page
    client.post(f"/reports/printed/{job.pk}/retry/")
    assert print_next()
    assert [file.name for file in files(settings)] == [again(job).file]
    assert b"".join(client.get(f"/reports/printed/{job.pk}/file/").streaming_content).startswith(b"%PDF")


def test_one_person_does_not_fill_the_queue(order, coordinator):
    for _ in range(MAX_OPEN):
        ask_report(actor=coordinator, order=order)
    with pytest.raises(Refused, match="in the queue"):
        ask_report(actor=coordinator, order=order)


def test_reviewers_may_not_ask(order, algebraist):
    with pytest.raises(NotAllowed):
        ask_report(actor=algebraist, order=order)


@pytest.mark.parametrize(
    "broken",
    [
        {"state": "running"},
        {"state": "queued", "lease_owner": "somebody"},
        {"state": "done"},
        {"state": "failed"},
        {"state": "lost"},
        {"file": "a.pdf"},
        {"done": 6},
        {"score": False, "items": False},
    ],
)
def test_the_database_refuses_half_states(job, broken):
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportJob.objects.filter(pk=job.pk).update(**broken)


@pytest.mark.parametrize(
    "broken", [{"per": "page"}, {"per": "referee", "score": True}, {"per": "referee", "items": False}]
)
def test_the_database_refuses_files_of_something_else(job, broken):
    """report_per_something_has_items_alone."""
    whole = {"score": False, "items": True}
    ReportJob.objects.filter(pk=job.pk).update(per="submission", **whole)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportJob.objects.filter(pk=job.pk).update(**{**whole, **broken})


@pytest.mark.slow
def test_the_pages_ask_follow_cancel_and_download(graded, coordinator, algebraist, settings):
    client = signed_in(coordinator)
    listing = f"/reports/releases/{graded.release.name}/printed/"
    assert "None yet." in client.get(listing).content.decode()
    answer = client.post(listing, {"campaign": "round", "items": "on"})
    job = ReportJob.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/reports/printed/{job.pk}/")
    assert "waiting for a worker" in client.get(answer["Location"]).content.decode()
    assert client.get(f"/reports/printed/{job.pk}/file/").status_code == 404
    client.post(f"/reports/printed/{job.pk}/cancel/")
    client.post(f"/reports/printed/{job.pk}/retry/")
    print_next()
    fragment = client.get(answer["Location"], headers={"X-Fragment": "progress"}).content.decode()
    assert fragment.startswith('<div data-running="no">')
    assert "<html" not in fragment
    sent = client.get(f"/reports/printed/{job.pk}/file/")
    assert b"".join(sent.streaming_content).startswith(b"%PDF")
    assert sent["Content-Disposition"].startswith("attachment;")
    assert "no-store" in sent["Cache-Control"]
    assert sent["X-Content-Type-Options"] == "nosniff"
    assert signed_in(algebraist).get(f"/reports/printed/{job.pk}/file/").status_code == 403
    assert client.post(listing, {}).status_code == 400


@pytest.mark.slow
def test_rest_asks_follows_and_downloads(graded, coordinator, algebraist):
    client = signed_in(coordinator)
    address = f"/api/v1/releases/{graded.release.name}/reports/"
    body = {"campaign": "round", "items": True, "score": False}
    made = client.post(address, body, content_type="application/json")
    assert (made.status_code, made.json()["state"], made.json()["total"]) == (202, "queued", 5)
    own = f"/api/v1/reports/{made.json()['id']}/"
    assert client.post(f"{own}cancel/").json()["state"] == "cancelled"
    assert client.post(f"{own}cancel/").status_code == 409
    assert client.post(f"{own}retry/").json()["state"] == "queued"
    print_next()
    assert client.get(own).json()["available"] is True
    assert b"".join(client.get(f"{own}file/").streaming_content).startswith(b"%PDF")
    assert [row["id"] for row in client.get(address).json()["results"]] == [made.json()["id"]]
    assert signed_in(algebraist).get(own).status_code == 403
    assert client.post(address, {"campaign": "none"}, content_type="application/json").status_code == 404


ENTRIES = {
    "split": "all",
    "retrieval": "cache",
    "materialisation": "log",
    "scoring": "judge-v1",
    "evaluated_on": dt.date(2026, 10, 2),
}


@pytest.fixture
def oracle_round(graded):
    """Aurora's graded run is in a tuple; of Basalt there is a run under condition oracle with one drawn item."""
    release = graded.release
    usual = release.runs.get(system__name="Aurora")
    declare_tuple(actor=None, release=release, name="october", runs=[usual], **ENTRIES)
    run = RunFactory(
        release=release, system=release.runs.get(system__name="Basalt").system, condition="oracle"
    )
    output = OutputFactory(run=run, instance=release.instances.first(), text="Given the source.")
    other = CampaignFactory(release=release, rubric=graded.rubric, slug="handed-over")
    ItemFactory(campaign=other, output=output, instance=output.instance)
    return release


@pytest.mark.slow
def test_a_report_takes_condition_and_tuple_and_says_them_in_front_and_in_its_name(
    oracle_round, coordinator, settings
):
    client = signed_in(coordinator)
    listing = f"/reports/releases/{oracle_round.name}/printed/"
    page = client.get(listing, {"condition": "oracle", "tuple": "none"}).content.decode()
    assert '<option value="oracle" selected>' in page
    asked = {"condition": "oracle", "tuple": "none", "items": "on", "score": "on"}
    answer = client.post(listing, asked)
    job = ReportJob.objects.get()
    assert (job.condition, job.frozen_tuple, job.total) == ("oracle", "none", 1)
    assert "condition oracle, tuple none" in client.get(answer["Location"]).content.decode()
    assert print_next()
    text = text_of(files(settings)[0])
    assert "condition oracle" in text
    assert "Given the source." in text
    assert "Round one" not in text  # a campaign without any item of the condition is not a part of it
    assert "invertible" not in text  # the five graded items are of the usual condition
    sent = client.get(f"/reports/printed/{job.pk}/file/")
    assert b"".join(sent.streaming_content).startswith(b"%PDF")
    assert f"report-{oracle_round.name}-oracle-none-{job.pk}.pdf" in sent["Content-Disposition"]


def test_a_tuple_that_must_be_named_is_asked_for_at_once(oracle_round, graded, coordinator):
    client = signed_in(coordinator)
    listing = f"/reports/releases/{oracle_round.name}/printed/"
    refused = client.post(listing, {"campaign": "round", "items": "on", "score": "on"})
    assert refused.status_code == 400
    assert "different frozen tuples" in refused.content.decode()
    rest = f"/api/v1/releases/{oracle_round.name}/reports/"
    body = {"campaign": "round", "items": True, "tuple": "october"}
    made = client.post(rest, body, content_type="application/json").json()
    assert (made["tuple"], made["condition"]) == ("october", "")
    aurora = graded.items.filter(output__run__system__name="Aurora").count()
    assert made["total"] == aurora < graded.items.count()
    for wrong in ({"tuple": "may"}, {"condition": "odd"}, {"campaign": "round", "track": "assisted"}):
        reply = client.post(rest, wrong, content_type="application/json")
        assert 400 <= reply.status_code < 500
    assert ReportJob.objects.count() == 1
