"""Public records: what becomes public, for whom, in which files, and what never does."""

import csv
import errno
import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, Credit, User
from accounts.refusal import Refused
from annotation.models import Answer, Campaign, Comment, Grade
from benchmark.describing.actions import describe_release
from benchmark.importing.outputs import import_outputs
from benchmark.models import Instance, Output, Release, ReleaseDescription, System
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from benchmark.releases.integrity import output_record_sha256
from benchmark.rendering.actions import render_waiting
from benchmark.settling.actions import settle
from benchmark.settling.queue import questions
from reports.artifact.freezing import freeze_artifact
from reports.core.datasets import ExpertLabel
from reports.labels.importing import import_labels
from reports.models import Artifact, PublicRecord
from reports.records import actions as record_actions
from reports.records.actions import Wish, prepare_record, publish_record, withdraw_record
from reports.records.archive import archive, sums, verify_archive
from reports.records.declared import Declared
from reports.records.folder import NEWEST, root, write_missing
from reports.records.mathml import with_mathml
from reports.records.metadata import bibtex, citation_cff
from reports.records.page import said_of
from reports.records.site import build
from reports.records.tables import latex_text, markdown_text
from reports.scores.inputs import Inputs
from reports.tasks import publish_ended_embargoes
from tests.benchmark.files import example, write_lines
from tests.conftest import without_guards
from tests.factories import CampaignFactory, ItemFactory, ReleaseFactory
from tests.reports.conftest import load_gaps, load_proofs

pytestmark = pytest.mark.django_db
WISH = Wish(name="gaps", title="Gaps in proofs", asked="Find a statement.", limitations="Few gaps.")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.RECORD_DIR = tmp_path / "records"
    return settings.RECORD_DIR


@pytest.fixture(scope="module")
def _frozen(rows_of_the_module):
    with rows_of_the_module():
        release = load_proofs()
        describe_release(
            actor=None,
            release=release,
            licence="CC-BY-4.0",
            creators="Nora Feld; Emil Sand",
            published_on=date(2026, 11, 1),
        )
        freeze_release(actor=None, release=release)
        release.refresh_from_db()
        return freeze_artifact(actor=None, release=release).pk


@pytest.fixture
def frozen(_frozen, db):
    """The artifact of eight problems that three experts graded, described and frozen; the same in all tests."""
    return Artifact.objects.select_related("release__benchmark").get(pk=_frozen)


@pytest.fixture
def proofs(frozen):
    return frozen.release


@pytest.fixture
def publish(frozen, django_capture_on_commit_callbacks):
    def published(actor=None, **wish):
        with django_capture_on_commit_callbacks(execute=True):
            return publish_record(actor=actor, artifact=frozen, wish=Wish(**{**vars(WISH), **wish}))

    return published


@pytest.fixture
def withdraw(django_capture_on_commit_callbacks):
    def withdrawn(row, reason):
        with django_capture_on_commit_callbacks(execute=True):
            withdraw_record(actor=None, record=row, reason=reason)

    return withdrawn


def page(address: str) -> str:
    response = Client().get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def packed(row: PublicRecord) -> bytes:
    return (root() / row.name / str(row.version) / f"{row.name}-{row.version}.zip").read_bytes()


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        return {name.partition("/")[2]: files.read(name) for name in files.namelist()}


# --- reading it ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_anybody_reads_a_record_without_a_query_and_every_cache_may_keep_it(
    publish, django_assert_num_queries
):
    publish()
    with django_assert_num_queries(0):
        response = Client().get("/records/gaps/1/")
    assert response.status_code == 200
    assert response["Cache-Control"].startswith("public")
    assert "Cookie" not in response.get("Vary", "")
    assert not response.cookies
    assert "script-src 'self'" in response["Content-Security-Policy"]
    again = Client().get("/records/gaps/1/", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert Client().head("/records/gaps/1/").content == b""


def test_the_page_says_who_solved_what_how_sure_that_is_and_how_to_cite_it(publish):
    publish(limitations="Two problems were not graded.")
    shown = page("/records/gaps/1/")
    # tests/reports/test_results.py has these numbers: 4, 3 and 1 of 6
    assert "Referees accepted 4 of 6 answers from aurora, 3 of 6 from basalt and 1 of 6 from cobalt." in shown
    assert "cannot be told apart" in shown
    assert "Two problems were not graded." in shown
    assert "Nora Feld, Emil Sand. Gaps in proofs, version 1. 2026." in shown.replace("\n", "")
    assert "CC-BY-4.0" in shown
    assert "<script" not in shown
    assert " style=" not in shown


def test_the_address_of_a_name_leads_to_its_newest_version_that_was_not_withdrawn(publish, withdraw):
    publish()
    second = publish(changes="A label was corrected.")
    assert Client().get("/records/gaps/").headers["Location"] == "/records/gaps/2/"
    withdraw(second, "A label was wrong.")
    assert Client().get("/records/gaps/").headers["Location"] == "/records/gaps/1/"


def test_an_older_version_says_that_there_is_a_newer_one_and_keeps_its_archive(publish):
    first = publish()
    before = packed(first)
    assert "is newer" not in page("/records/gaps/1/")
    publish(changes="A label was corrected.")
    assert "Version 2 is newer" in page("/records/gaps/1/")
    assert "A label was corrected." in page("/records/gaps/1/")
    assert "is newer" not in page("/records/gaps/2/")
    assert packed(first) == before


@pytest.mark.parametrize(
    "path", [".newest", "gaps/.newest", "gaps/1/../../../db.sqlite3", "%2e%2e/", "gaps/1//index.html", "no"]
)
def test_nothing_but_published_files_is_reached(publish, path):
    publish()
    assert Client().get(f"/records/{path}").status_code == 404


def test_a_frozen_score_that_was_not_published_is_nowhere(frozen):
    assert Client().get("/records/gaps/1/artifact.json").status_code == 404
    assert not root().exists()


# --- publishing and withdrawing ------------------------------------------------------------------------------


@pytest.mark.slow
def test_only_owners_publish_and_see_before_what_becomes_public(
    frozen, coordinator, owner, client, django_capture_on_commit_callbacks
):
    address = "/reports/releases/sample-proofs/records/publish/"
    client.force_login(coordinator)
    assert client.get(address).status_code == 403
    said = {
        "artifact": frozen.pk,
        "name": "gaps",
        "title": "Gaps",
        "asked": "What?",
        "limitations": "Few.",
        "show_problems": "on",
        "embargo": "sample-proof-01 2999-01-01",
    }
    client.force_login(owner)
    shown = client.post(address, said).content.decode()
    assert "The texts of 7 problems and 0 answers; 1 problem under embargo" in shown
    assert "No name of a referee" in shown
    assert not PublicRecord.objects.exists()
    seen = re.search(r'name="seen" value="(\w+)"', shown)[1]
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address, {**said, "seen": seen}).status_code == 302
    row = PublicRecord.objects.get()
    assert (row.published_by, row.archive_sha256) == (owner, seen)
    assert AuditEvent.objects.filter(verb="publish record", actor=owner).count() == 1
    assert hashlib.sha256(packed(row)).hexdigest() == seen


@pytest.mark.parametrize("line", ["sample-proof-01 2027-01-01", "2027-01-01"])
def test_two_dates_for_one_problem_are_refused(publish, owner, client, line):
    """The later line won in silence, so a slip could open a text a year too early."""
    publish(show_problems=True)
    client.force_login(owner)
    address = "/reports/releases/sample-proofs/records/publish/"
    said = {**client.get(address).context["form"].initial, "artifact": Artifact.objects.get().pk}
    said["embargo"] = f"{line}\nsample-proof-02 2028-01-01\n{line.replace('2027', '2026')}"
    shown = client.post(address, said)
    assert "Line 3: there is already a date for" in shown.content.decode()


@pytest.mark.slow
def test_the_form_of_the_next_version_keeps_closed_what_is_still_closed(publish, owner, client):
    publish(
        show_problems=True,
        embargo={"sample-proof-01": date(2999, 1, 1), "sample-proof-02": timezone.now().date()},
    )
    client.force_login(owner)
    form = client.get("/reports/releases/sample-proofs/records/publish/").context["form"]
    assert form.initial["embargo"] == "sample-proof-01 2999-01-01"
    said = {**form.initial, "artifact": Artifact.objects.get().pk, "title": "A better title"}
    shown = client.post("/reports/releases/sample-proofs/records/publish/", said).content.decode()
    assert "The texts of 7 problems and 0 answers; 1 problem under embargo" in shown


def test_what_changed_since_the_owner_looked_is_not_published(frozen):
    with pytest.raises(Refused, match="Something changed"):
        publish_record(actor=None, artifact=frozen, wish=WISH, seen="0" * 64)


@pytest.mark.parametrize("field", ["title", "asked", "limitations"])
def test_a_record_needs_a_title_what_was_asked_and_limitations(frozen, field):
    with pytest.raises(Refused) as refused:
        prepare_record(artifact=frozen, wish=Wish(**{**vars(WISH), field: "  "}))
    assert refused.value.field == field


def test_the_name_of_a_record_of_another_study_is_taken(publish, frozen):
    row = publish()
    other = ReleaseFactory()
    describe_release(actor=None, release=other, licence="MIT", creators="A", published_on=date(2026, 1, 1))
    frozen.release = other
    with pytest.raises(Refused, match="another study"):
        prepare_record(artifact=frozen, wish=WISH)
    assert PublicRecord.objects.get() == row


def test_while_referees_grade_neither_answers_nor_reports_become_public(frozen):
    CampaignFactory(release=frozen.release, phase="open", opened_at=timezone.now(), name="Second round")
    for choice in ("show_outputs", "show_reports"):
        with pytest.raises(Refused, match="still grading: Second round"):
            prepare_record(artifact=frozen, wish=Wish(**{**vars(WISH), choice: True}))
    assert prepare_record(artifact=frozen, wish=WISH).files


def test_an_owner_is_told_whose_referees_could_read_how_their_problems_were_judged(client, owner, frozen):
    """The labels of every answer are public under its system, also where the answers are not."""
    answered = Output.objects.filter(run__release=frozen.release, state="answered")
    graded = Grade.objects.values("assignment__item__instance")
    judged = answered.filter(instance__in=graded).first()
    other = answered.exclude(instance__in=graded).first()
    times = {"draft": {}, "open": {"opened_at": timezone.now()}}
    times["closed"] = {**times["open"], "closed_at": timezone.now()}
    rounds = {"Drawn": ("draft", judged), "Under way": ("open", judged), "Over": ("closed", judged)}
    for name, (phase, output) in {**rounds, "Elsewhere": ("open", other)}.items():
        terms = {"release": frozen.release, "slug": name.lower().replace(" ", "-"), "name": name}
        campaign = CampaignFactory(phase=phase, **terms, **times[phase])
        ItemFactory(campaign=campaign, output=output, instance=output.instance)
    assert prepare_record(artifact=frozen, wish=WISH).rounds == ["Drawn", "Under way"]
    client.force_login(owner)
    form = {**vars(WISH), "artifact": frozen.pk, "embargo": ""}
    page = client.post(reverse("record-publish", args=[frozen.release.name]), form).content.decode()
    assert "Not closed yet: Drawn, Under way." in page


@pytest.mark.slow
def test_no_hash_names_the_system_of_an_answer_that_is_not_shown(publish, proofs):
    """A reviewer of a later round has the answer's text, and by REST its hash."""
    outputs = list(Output.objects.filter(run__release=proofs))
    known = {*(output.sha256 for output in outputs), *(output.run.sha256 for output in outputs)}
    hidden = publish(show_problems=True)
    known.add(hidden.artifact.sha256)
    for name, content in unpacked(packed(hidden)).items():
        assert [sha256 for sha256 in known if sha256.encode() in content] == [], name
    [first, *_] = sorted({output.instance.key for output in outputs})
    partly = publish(show_problems=True, show_outputs=True, embargo={first: date(2999, 1, 1)})
    files = unpacked(packed(partly))
    assert not any(partly.artifact.sha256.encode() in content for content in files.values())
    rows = json.loads(files["artifact.json"])["inputs"]["outputs"]
    assert {bool(row[-1]) for row in rows if row[2] == first} == {False}
    assert {bool(row[-1]) for row in rows if row[2] != first} == {True}


@pytest.mark.slow
def test_nobody_finds_in_a_record_whose_answers_an_open_campaign_has_drawn(proofs):
    campaign = CampaignFactory(release=proofs, slug="second", phase="open", opened_at=timezone.now())
    output = Output.objects.filter(run__release=proofs, state="answered").first()
    ItemFactory(campaign=campaign, output=output, instance=output.instance, stratum="aurora/success")
    again = freeze_artifact(actor=None, release=proofs)
    assert "aurora/success" in again.content
    made = prepare_record(artifact=again, wish=WISH)
    drawn = {row[1] for row in json.loads(made.files["artifact.json"])["inputs"]["draws"]}
    assert drawn == {row.slug for row in Campaign.objects.filter(release=proofs, phase="closed")}
    assert not any(b"aurora/success" in content for content in made.files.values())
    assert verify_archive(made.archive).verified
    earlier = replace(made.declared, hides_clues=False)
    assert b"aurora/success" in build(proofs, again.content, earlier)["artifact.json"]


@pytest.mark.slow
@pytest.mark.parametrize("show_problems", [False, True])
def test_where_problems_are_not_shown_no_settled_case_quotes_their_references(owner, show_problems):
    release = load_gaps()
    describe_release(actor=None, release=release, licence="MIT", creators="A", published_on=date(2026, 11, 1))
    cases = [one.case for one in questions(release)]
    for case in cases:
        settle(actor=owner, release=release, pair=case.pair, verdict="same")
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    score = freeze_artifact(actor=None, release=release)
    wish = Wish(**{**vars(WISH), "show_outputs": True, "show_problems": show_problems})
    made = prepare_record(artifact=score, wish=wish)
    assert verify_archive(made.archive).verified
    told = [case.pair for case in cases if case.pair.encode() in made.files["artifact.json"]]
    told += [case.pair for case in cases if case.wanted[0][1].encode() in made.files["artifact.json"]]
    assert bool(told) == show_problems
    assert (score.sha256.encode() in made.files["README.md"]) == show_problems


@pytest.mark.slow
@pytest.mark.parametrize(("unread", "failed"), [(0, False), (1, False), (1, True)])
def test_the_page_counts_the_votes_of_an_imported_judge_and_promises_no_prompts_of_it(
    tmp_path, unread, failed
):
    release = load_gaps()
    lines = ["release,question,subject,rater,rater_kind,vote,value,state,judge_version"]
    answers = Output.objects.filter(run__release=release, run__track="raw", state="answered").order_by("pk")
    for at, output in enumerate(answers.select_related("instance", "run__system")):
        subject = f"{output.instance.key}/{output.run.system.slug}/{output.attempt}"
        said = "yes,answered" if at >= unread else ",unavailable"
        for question in ("ground", "suff") if at >= unread or failed else ():
            lines += [
                f"{release.name},{question},{subject},rival,judge,{n},{said},rival-v1" for n in (1, 2, 3)
            ]
    table = tmp_path / "votes.csv"
    table.write_text("\n".join(lines) + "\n")
    import_labels(actor=None, path=table, release=release)
    describe_release(actor=None, release=release, licence="MIT", creators="A", published_on=date(2026, 11, 1))
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    score = freeze_artifact(actor=None, release=release, judge="rival-v1")
    files = prepare_record(artifact=score, wish=WISH).files
    shown = files["index.html"].decode()
    read = f"{len(answers) - 1} of the {len(answers)} answers" if unread else "every answer"
    assert f"read {read} 3 times; the majority counts" in shown
    assert "rival-v1, 3 votes" in shown
    assert ("prompts are in the archive" in shown) == any(name.startswith("prompts/") for name in files)


@pytest.mark.slow
def test_what_a_system_left_blank_is_none_of_the_answers_of_which_experts_read_some():
    release = load_gaps()
    describe_release(actor=None, release=release, licence="MIT", creators="A", published_on=date(2026, 11, 1))
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    files = prepare_record(artifact=freeze_artifact(actor=None, release=release), wish=WISH).files
    outputs = Output.objects.filter(run__release=release, run__track="raw", run__condition="")
    answers = outputs.filter(state="answered").count()
    assert answers < outputs.count()
    assert f" of {answers} answers, drawn at random" in files["index.html"].decode()


@pytest.mark.parametrize("closed", [(), ("q2",), ("q1", "q2", "q3")])
def test_a_problem_that_is_not_shown_has_no_paper_by_name(tmp_path, closed):
    """Of theorem search the paper is what is to be found."""
    one = example("theorem_search")
    papers = {"q1": "Zorn", "q2": "Abel", "q3": "Zorn"}
    targets = {key: [one.instance["targets"][0] | {"paper": paper}] for key, paper in papers.items()}
    problems = [one.instance | {"instance_id": key, "targets": targets[key]} for key in papers]
    import_release(
        actor=None,
        protocol="theorem_search",
        path=write_lines(tmp_path / "r.jsonl", *problems),
        name="search",
    )
    release = Release.objects.get(name="search")
    answers = write_lines(tmp_path / "o.jsonl", *(one.output | {"instance_id": key} for key in papers))
    import_outputs(actor=None, path=answers, release=release, system="x")
    describe_release(actor=None, release=release, licence="MIT", creators="A", published_on=date(2026, 11, 1))
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    score = freeze_artifact(actor=None, release=release)
    wish = {**vars(WISH), "show_problems": True, "embargo": dict.fromkeys(closed, date(2999, 1, 1))}
    made = prepare_record(artifact=score, wish=Wish(**wish))
    assert verify_archive(made.archive).verified
    inputs = json.loads(made.files["artifact.json"])["inputs"]
    named = {row[2]: row[3] for row in inputs["outputs"]}
    assert {row[0]: row[1] for row in inputs["asked"]} == named
    assert named["q1"] == named["q3"] > named["q2"]
    assert (named["q2"] == "paper-1") == bool(closed)


def test_a_record_with_answers_is_known_where_a_campaign_opens(publish, proofs):
    publish()
    assert ReleaseDescription.objects.get(release=proofs).answers_public_at == ""
    publish(show_outputs=True, embargo={"": date(2999, 1, 1)})
    assert ReleaseDescription.objects.get(release=proofs).answers_public_at == "", "nobody can read them yet"
    row = publish(show_outputs=True)
    assert ReleaseDescription.objects.get(release=proofs).answers_public_at == row.declared["address"]


def test_a_record_with_what_referees_quoted_is_known_there_too(publish, proofs):
    """Who finds a passage in the comments has the system of its answer next to it."""
    publish(show_reports=True, embargo={"": date(2999, 1, 1)})
    assert ReleaseDescription.objects.get(release=proofs).answers_public_at == "", "nobody can read them yet"
    row = publish(show_reports=True)
    assert b"quote" in unpacked(packed(row))["comments.csv"]
    assert ReleaseDescription.objects.get(release=proofs).answers_public_at == row.declared["address"]


def test_a_record_from_before_keeps_its_hashes(frozen, publish):
    row = publish()
    said = {**row.declared, "hides_hashes": False, "hides_clues": False, "frozen_sha256": frozen.sha256}
    earlier = Declared.from_json(said)
    files = build(frozen.release, frozen.content, earlier)
    made, kept = json.loads(files["artifact.json"]), json.loads(frozen.content)
    assert (made["inputs"]["outputs"], made["manifest"]) == (kept["inputs"]["outputs"], kept["manifest"])
    assert frozen.sha256.encode() in files["README.md"]


def test_a_withdrawn_version_says_why_on_every_page_and_stays(publish, withdraw):
    row = publish(show_problems=True)
    before = packed(row)
    withdraw(row, "The wrong <b>labels</b>.")
    for address in ("/records/gaps/1/", "/records/gaps/1/problems/1.html"):
        assert "The wrong &lt;b&gt;labels&lt;/b&gt;." in page(address)
    assert "Withdrawn" in page("/records/")
    assert "Withdrawn: Gaps in proofs" in page("/records/gaps/feed.atom")
    assert packed(row) == before
    event = AuditEvent.objects.get(verb="withdraw record")
    assert event.reason == "The wrong <b>labels</b>."


def test_the_badge_of_a_withdrawn_version_says_so_where_others_have_embedded_it(publish, withdraw):
    first, _ = publish(), publish()
    assert "withdrawn" not in page("/records/gaps/1/badge.svg")
    withdraw(first, "The wrong labels.")
    assert "withdrawn · version 1" in page("/records/gaps/1/badge.svg")
    assert "withdrawn" not in page("/records/gaps/2/badge.svg")


def test_withdrawing_needs_a_reason_and_happens_once(publish, withdraw):
    row = publish()
    with pytest.raises(Refused, match="Say why"):
        withdraw(row, "  ")
    withdraw(row, "Wrong.")
    with pytest.raises(Refused, match="withdrawn before"):
        withdraw(row, "Again.")


def test_files_that_are_gone_are_written_again_with_the_same_bytes(publish, tmp_path):
    row = publish(show_problems=True)
    before = packed(row)
    root().rename(tmp_path / "gone")
    assert write_missing() == ["gaps 1"]
    assert packed(row) == before
    assert write_missing() == []


def test_files_at_the_address_of_a_version_that_the_database_lost_are_never_replaced(publish):
    """An older database was restored next to newer files, which others have cited."""
    cited = root() / "gaps" / "1" / "index.html"
    cited.parent.mkdir(parents=True)
    cited.write_text("cited")
    assert publish().version == 2
    assert cited.read_text() == "cited"


def test_what_a_process_that_died_was_writing_goes_after_a_day(publish, monkeypatch):
    """It died before the commit: the texts of a record that was never published stayed on the disk."""
    with monkeypatch.context() as patch:
        patch.setattr(record_actions, "put_in_place", lambda row, waiting: None)
        publish()
    left = [path for path in (root() / "gaps").iterdir() if (path / "made").exists()]
    write_missing()
    assert left
    assert all(path.exists() for path in left)
    for path in left:
        os.utime(path, (0, 0))
    write_missing()
    assert not any(path.exists() for path in left)


def test_what_a_process_that_died_left_unwritten_is_written_within_the_hour(publish, withdraw, monkeypatch):
    """It died between the commit and the files, or what follows from them: a withdrawn version looked valid."""
    row = publish()
    with monkeypatch.context() as patch:
        patch.setattr(record_actions, "refresh", lambda name: None)
        patch.setattr(record_actions, "write_list", lambda: None)
        withdraw(row, "The third system was graded twice.")
        patch.setattr(record_actions, "put_in_place", lambda row, waiting: None)
        publish(changes="Once more.")
    page = root() / "gaps" / "1" / "index.html"
    assert "graded twice" not in page.read_text()
    assert not (root() / "gaps" / "2").exists()
    publish_ended_embargoes()
    assert "graded twice" in page.read_text()
    assert (root() / "gaps" / NEWEST).read_text() == "2"
    assert (root() / "gaps" / "2" / "index.html").is_file()


def test_with_a_full_disk_a_withdrawal_holds_leaves_no_files_and_is_shown_within_the_hour(
    publish, owner, monkeypatch, django_capture_on_commit_callbacks
):
    """It said that nothing was stored, while the version was withdrawn."""
    row = publish()
    files = sorted(root().rglob("*"))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    client = Client()
    client.force_login(owner)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with django_capture_on_commit_callbacks(execute=True):
            form = reverse("record-withdraw", args=[row.artifact.release.name, "gaps", 1])
            reply = client.post(form, {"reason": "Graded twice."}, follow=True)
        assert "Version 1 of gaps is withdrawn" in reply.content.decode()
        with pytest.raises(OSError, match="No space left"):
            publish_ended_embargoes()
    assert sorted(root().rglob("*")) == files
    publish_ended_embargoes()
    assert "Graded twice" in page("/records/gaps/1/")


# --- the database refuses ------------------------------------------------------------------------------------


def refused(words: str):
    return pytest.raises(IntegrityError, match=words)


def test_files_of_one_version_that_are_gone_keep_no_other_from_being_published_or_withdrawn(
    publish, withdraw
):
    shutil.rmtree(root() / "gaps" / str(publish().version))
    second = publish()
    assert Client().get("/records/gaps/")["Location"] == "/records/gaps/2/"
    withdraw(second, "The second judge was the first one again.")
    assert "the first one again" in page("/records/gaps/2/")
    assert "the first one again" in page("/records/feed.atom")


def test_a_version_exists_once_and_counts_from_one(publish):
    row = publish()
    same = {"artifact": row.artifact, "declared": {}, "archive_sha256": "0" * 64}
    with refused("(?i)unique"), transaction.atomic():
        PublicRecord.objects.create(name="gaps", version=1, **same)
    with refused("record_versions_from_one"), transaction.atomic():
        PublicRecord.objects.create(name="gaps", version=0, **same)
    with refused("record_withdrawn_with_a_reason"), transaction.atomic():
        PublicRecord.objects.create(name="other", version=1, withdrawn_reason="Why?", **same)
    with refused("record_withdrawn_with_a_reason"), transaction.atomic():
        PublicRecord.objects.create(name="other", version=1, withdrawn_at=timezone.now(), **same)


@pytest.mark.parametrize(
    "change", [{"name": "x"}, {"version": 9}, {"declared": {}}, {"archive_sha256": "x"}, {}]
)
def test_a_record_never_changes(publish, change):
    row = publish()
    with refused("never changes"), transaction.atomic():
        PublicRecord.objects.filter(pk=row.pk).update(
            withdrawn_at=timezone.now(), withdrawn_reason="W", **change
        ) if change else PublicRecord.objects.filter(pk=row.pk).update(withdrawn_reason="")
    with refused("never removed"), transaction.atomic():
        PublicRecord.objects.all()._raw_delete("default")


# --- the archive ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damaged", ["content", "directory"])
def test_an_archive_in_which_bytes_were_lost_is_refused_in_words(publish, damaged):
    content = bytearray(packed(publish()))
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        entry = files.getinfo("gaps-1/artifact.json")
        directory = files.start_dir
    if damaged == "content":
        begin = entry.header_offset + 30 + len(entry.filename)
        content[begin : begin + 40] = b"\xff" * 40
    else:
        end = content.rindex(b"PK\x05\x06")
        content[end + 16 : end + 20] = (directory + 500_000).to_bytes(4, "little")
    with pytest.raises(Refused, match="The archive cannot be read"):
        verify_archive(bytes(content))


def test_the_archive_verifies_without_the_platform(publish, tmp_path, capsys):
    row = publish(show_problems=True, show_outputs=True, show_reports=True)
    place = tmp_path / "record.zip"
    place.write_bytes(packed(row))
    call_command("verify_artifact", str(place))
    assert "every number follows" in capsys.readouterr().out
    place.write_bytes(b"PK\x03\x04" + b"no archive" * 10)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("verify_artifact", str(place))


def test_equal_records_give_equal_bytes(frozen):
    one, other = (prepare_record(artifact=frozen, wish=WISH) for _ in range(2))
    assert one.archive == other.archive


def changed(content: bytes, *, honest_sums: bool, **files: bytes) -> list[str]:
    """The differences that are found once some files have other bytes."""
    every = unpacked(content)
    listed = every.pop("SHA256SUMS")
    every |= {name.replace("_", "."): value for name, value in files.items()}
    if honest_sums:
        return [str(one) for one in verify_archive(archive("x", every)).differences]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as other:
        for name, value in {**every, "SHA256SUMS": listed}.items():
            other.writestr(f"x/{name}", value)
    return [str(one) for one in verify_archive(made.getvalue()).differences]


def test_the_grid_has_a_row_for_each_attempt_and_says_which(publish):
    files = unpacked(packed(publish(show_problems=True)))
    outputs = Inputs.from_json(json.loads(files["artifact.json"])["inputs"]).outputs
    rows = list(csv.DictReader(io.StringIO(files["grid.csv"].decode())))
    said = Counter((row["problem"], row["attempt"]) for row in rows if row["attempt"])
    assert said == Counter((row.instance, str(row.attempt)) for row in outputs)


@pytest.mark.slow
def test_a_changed_file_is_named(publish):
    content = packed(publish(show_problems=True))
    files = unpacked(content)
    assert changed(content, honest_sums=True) == []
    (found,) = changed(content, honest_sums=False, grid_csv=files["grid.csv"] + b"x")
    assert found.startswith("grid.csv: expected SHA-256 ")
    # with right checksums the tables and texts still have to be those of the artifact
    labels = files["labels.csv"].replace(b",incorrect,", b",correct,", 1)
    assert changed(content, honest_sums=True, labels_csv=labels) == [
        "labels.csv: expected the rows of the artifact, found others"
    ]
    problems = files["problems.jsonl"].replace(b"sample", b"simple", 1)
    assert changed(content, honest_sums=True, problems_jsonl=problems) == [
        "problems.jsonl, line 1: expected a problem of the artifact, found another one"
    ]
    artifact = files["artifact.json"].replace(b'"expert-1"', b'"expert-9"', 1)
    assert any("expert-9" in one for one in changed(content, honest_sums=True, artifact_json=artifact))


@pytest.mark.slow
def test_with_right_checksums_every_answer_is_still_that_of_its_system(publish):
    content = packed(publish(show_outputs=True))
    lines = unpacked(content)["answers.jsonl"].splitlines(keepends=True)

    def found(*answers: bytes) -> list[str]:
        return changed(content, honest_sums=True, answers_jsonl=b"".join(answers))

    other = {b'"aurora"': b'"basalt"', b'"basalt"': b'"aurora"'}
    exchanged = [re.sub(rb'"aurora"|"basalt"', lambda name: other[name[0]], line) for line in lines]
    assert len(found(*exchanged)) == 16
    assert "line 1: expected the answer sample-proof-01/basalt/1 of the artifact" in found(*exchanged)[0]
    assert found(*lines[1:]) == ["answers.jsonl: expected the answer sample-proof-01/aurora/1, found none"]
    assert found(lines[0], *lines) == [
        "answers.jsonl, line 2: expected every answer once, found sample-proof-01/aurora/1 again"
    ]
    twice = lines[0].replace(b"{", b'{"text":"Another proof.",', 1)
    assert found(twice, *lines[1:]) == [
        "answers.jsonl, line 1: expected the answer sample-proof-01/aurora/1 of the artifact, found another one"
    ]
    assert found(*lines, b"[]\n", b"{") == [
        f"answers.jsonl, line {number}: expected an answer, found something else" for number in (25, 26)
    ]


def test_with_right_checksums_no_text_that_the_record_shows_is_left_out(publish):
    content = packed(publish(show_problems=True, show_outputs=True))
    files = unpacked(content)
    answers, problems = (
        files[name].splitlines(keepends=True) for name in ("answers.jsonl", "problems.jsonl")
    )
    of_others = [line for line in answers if b'"sample-proof-01"' not in line]
    assert len(of_others) == len(answers) - 3
    missing = [
        f"answers.jsonl: expected the answer sample-proof-01/{system}/1, found none"
        for system in ("aurora", "basalt", "cobalt")
    ]
    assert changed(content, honest_sums=True, answers_jsonl=b"".join(of_others)) == missing
    without = [line for line in problems if b'"sample-proof-01"' not in line]
    assert changed(
        content, honest_sums=True, answers_jsonl=b"".join(of_others), problems_jsonl=b"".join(without)
    ) == [*missing, "problems.jsonl: expected the problem sample-proof-01, found none"]
    assert changed(content, honest_sums=True, problems_jsonl=b"".join([problems[0], *problems])) == [
        "problems.jsonl, line 2: expected every problem once, found sample-proof-01 again"
    ]
    del files["answers.jsonl"], files["SHA256SUMS"]
    assert len(verify_archive(archive("x", files)).differences) == len(answers)


def test_no_table_says_what_the_artifact_does_not(publish):
    content = packed(publish())
    assert "comments.csv" not in unpacked(content)
    for name in ("comments_csv", "verdicts_csv", "choices_csv"):
        assert changed(
            content, honest_sums=True, **{name: b"subject,text\nsample-proof-01/aurora/1,Wrong.\n"}
        ) == [f"{name.replace('_', '.')}: expected no file, found rows that the artifact does not have"]


def test_labels_are_never_missing(publish):
    files = unpacked(packed(publish()))
    del files["labels.csv"], files["SHA256SUMS"]
    assert [str(one) for one in verify_archive(archive("x", files)).differences] == [
        "labels.csv: expected the rows of the artifact, found no file"
    ]


def test_a_file_that_no_line_names_and_a_line_without_its_file_are_named(publish):
    every = unpacked(packed(publish()))
    listed = every.pop("SHA256SUMS")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as other:
        del every["cite.bib"]
        for name, value in {**every, "SHA256SUMS": listed, "extra.txt": b"!"}.items():
            other.writestr(f"x/{name}", value)
    found = {str(one) for one in verify_archive(made.getvalue()).differences}
    assert found == {
        "cite.bib: expected a file, found none",
        "extra.txt: expected a line of SHA256SUMS, found none",
    }


def test_sums_are_in_the_form_that_sha256sum_reads():
    digest = hashlib.sha256(b"1").hexdigest()
    assert sums({"b": b"1", "a/c.txt": b"1"}) == f"{digest}  a/c.txt\n{digest}  b\n".encode()


# --- what never becomes public -------------------------------------------------------------------------------


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


def crawled(start: str = "/records/") -> dict[str, str]:
    """Everything below /records/ that is reached from its list without signing in, archives unpacked."""
    waiting, seen = [start], {}
    while waiting:
        address = waiting.pop().partition("#")[0].replace("http://127.0.0.1:8000", "")
        if address in seen or not address.startswith("/records/"):
            continue
        response = Client().get(address, follow=True)
        assert response.status_code == 200, address
        content = b"".join(response) if response.streaming else response.content
        if address.endswith(".zip"):
            for name, inside in unpacked(content).items():
                seen[f"{address}/{name}"] = inside.decode("utf-8")
            continue
        seen[address] = content.decode("utf-8")
        if response["Content-Type"].startswith("text/html"):
            links = Links()
            links.feed(seen[address])
            waiting += [urljoin(address, link) for link in links.found]
    return seen


def test_a_crawl_without_signing_in_finds_nobody_and_nothing_that_was_not_released(publish, proofs):
    """Canaries are planted in the rows around the record; texts of the record itself are found, so the crawl works."""
    ReleaseFactory(name="canary-release")
    experts = User.objects.filter(assignments__item__campaign__release=proofs).distinct()
    for number, user in enumerate(experts):
        User.objects.filter(pk=user.pk).update(name=f"Canary Person {number}", email=f"canary{number}@x.test")
    publish(show_problems=True, embargo={"sample-proof-02": date(2999, 1, 1)})
    found = crawled()
    everything = "\n".join(found.values())
    assert len(found) > 30
    assert Instance.objects.get(release=proofs, key="sample-proof-01").payload["title"] in everything
    assert "anary" not in everything
    assert not re.search(r"[\w.]+@[\w.]+\.test", everything)
    # no answer is shown, and of the problem under embargo nothing but its title
    closed = Instance.objects.get(release=proofs, key="sample-proof-02").payload
    assert closed["title"].split()[-1] in everything
    statement = max((str(value) for value in closed.values()), key=len)
    assert json.dumps(statement, ensure_ascii=False)[1:40] not in everything
    for output in Output.objects.filter(run__release=proofs, state="answered"):
        assert json.dumps(output.text, ensure_ascii=False)[1:60] not in everything
    assert "text public on 1 January 2999" in found["/records/gaps/1/"]
    assert Client().get("/records/gaps/1/problems/2.html").status_code == 404


@pytest.mark.slow
def test_what_referees_wrote_is_public_only_where_the_owner_says_so_and_never_under_embargo(proofs, publish):
    campaign = Campaign.objects.get(release=proofs)
    texts = {}
    for key in ("sample-proof-01", "sample-proof-02"):
        grade = Grade.objects.filter(assignment__item__instance__key=key).order_by("pk").first()
        texts[key] = f"CANARY of {key}"
        Comment.objects.create(
            grade=grade, block="b1", start=0, end=3, severity="fatal", kind="gap", text=texts[key]
        )
        Answer.objects.create(grade=grade, question="remarks", value=f"{texts[key]} in words")
    assert campaign.closed_at
    render_waiting()
    with_remarks = freeze_artifact(actor=None, release=proofs)
    assert "CANARY" in with_remarks.content
    hidden = prepare_record(artifact=with_remarks, wish=WISH)
    assert not any(b"CANARY" in content for content in hidden.files.values())
    assert verify_archive(hidden.archive).verified
    wish = Wish(**{**vars(WISH), "show_reports": True, "embargo": {"sample-proof-02": date(2999, 1, 1)}})
    shown = prepare_record(artifact=with_remarks, wish=wish)
    assert b"CANARY of sample-proof-01" in shown.files["comments.csv"]
    assert b"CANARY of sample-proof-01" in shown.files["problems/1.html"]
    assert not any(b"CANARY of sample-proof-02" in content for content in shown.files.values())
    assert verify_archive(shown.archive).verified
    others = shown.files["comments.csv"].replace(b"CANARY", b"PRAISE")
    assert changed(shown.archive, honest_sums=True, comments_csv=others) == [
        "comments.csv: expected the rows of the artifact, found others"
    ]


def test_a_comment_on_a_pdf_says_its_page_and_the_record_that_it_does_not_include_the_file(proofs):
    grade = Grade.objects.filter(assignment__item__instance__key="sample-proof-01").order_by("pk").first()
    Comment.objects.create(
        grade=grade,
        block="file1-page3",
        start=0,
        end=0,
        severity="major",
        text="Why $a<b$?\nAnd <b>how</b>?",
        anchor={
            "type": "pdf",
            "kind": "region",
            "selector": [{"type": "RectSelector", "page": 3, "rects": []}],
        },
    )
    with connection.cursor() as cursor, without_guards(cursor):  # a frozen text does not change otherwise
        output = grade.assignment.item.output
        output.text = ""
        output.sha256 = output_record_sha256(output)
        output.save()
    artifact = freeze_artifact(actor=None, release=proofs)
    wish = Wish(**{**vars(WISH), "show_outputs": True, "show_reports": True})
    shown = prepare_record(artifact=artifact, wish=wish).files["problems/1.html"].decode()
    assert "major, page 3" in shown
    assert "&lt;b&gt;how" in shown
    assert "<math" in shown.partition("Why ")[2][:80]
    assert shown.count("The answer is a file, which is not part of this record.") == 1


def test_referees_are_named_as_each_of_them_chose(frozen, proofs):
    first, second, third = User.objects.filter(assignments__item__campaign__release=proofs).distinct()
    chosen = [
        (first, Credit.NAMED, ""),
        (second, Credit.PSEUDONYM, "Reader Two"),
        (third, Credit.ANONYMOUS, ""),
    ]
    for user, credit, pseudonym in chosen:
        User.objects.filter(pk=user.pk).update(name=f"Name of {user.pk}", credit=credit, pseudonym=pseudonym)
    declared = prepare_record(artifact=frozen, wish=WISH).declared
    assert declared.credited == [f"Name of {first.pk}", "Reader Two"]
    assert declared.referees == 3


def test_an_embargo_ends_on_its_day():
    today = date(2027, 3, 1)
    common = {
        "name": "a",
        "version": 1,
        "address": "",
        "title": "",
        "authors": [],
        "licence": "",
        "asked": "",
    }
    declared = Declared(
        **common,
        limitations="",
        published_on=today.isoformat(),
        embargo={"past": "2027-03-01", "later": (today + timedelta(1)).isoformat()},
    )
    assert [declared.is_open(key) for key in ("past", "later", "none")] == [True, False, True]


def test_an_embargo_on_what_is_never_shown_is_refused_as_no_day_would_make_it_public(frozen):
    wish = Wish(**{**vars(WISH), "embargo": {"": date(2999, 1, 1)}})
    with pytest.raises(Refused, match="no text becomes public on these days"):
        prepare_record(artifact=frozen, wish=wish)


def test_an_embargo_of_an_unknown_problem_is_refused(frozen):
    with pytest.raises(Refused, match="no problem 'p99'"):
        prepare_record(artifact=frozen, wish=Wish(**{**vars(WISH), "embargo": {"p99": date(2999, 1, 1)}}))


# --- hostile words -------------------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "$\\href{javascript:alert(1)}{x}$",
    "</title><svg onload=alert(1)>",
    "a\ncff-version: 9\nauthors: []",
    '=HYPERLINK("http://x")',
    "\\input{/etc/passwd} & % $ # _ { } ~ ^ \\",
    "<!-- band --> ]]> {{ record }} {% load x %}",
]


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_are_shown_and_do_nothing(frozen, words):
    ReleaseDescription.objects.filter(release=frozen.release).update(creators=words)
    wish = Wish(name="gaps", title=words, asked=words, limitations=words, changes=words, doi=words)
    made = prepare_record(artifact=frozen, wish=wish)
    for name, content in made.files.items():
        if name.endswith((".html", ".svg")):
            shown = content.decode()
            assert not re.search(r"<script|<img src=x|<svg onload|href=\"javascript:", shown), name
            assert " onerror=alert(1)>" not in shown.replace("&gt;", ""), name
    read = yaml.safe_load(made.files["CITATION.cff"])
    assert read["title"] == " ".join(words.split())
    assert (read["cff-version"], [one["name"] for one in read["authors"]]) == ("1.2.0", [words])
    assert json.loads(made.files["datacite.json"])["titles"][0]["title"] == " ".join(words.split())
    assert json.loads(made.files["croissant.json"])["name"] == " ".join(words.split())
    assert verify_archive(made.archive).verified


def test_words_in_latex_and_markdown_are_words():
    assert latex_text("\\input{x} 5 % & $a_1$") == r"\textbackslash{}input\{x\} 5 \% \& \$a\_1\$"
    assert markdown_text("[x](http://y) *b* | <i>\n# c") == r"\[x\](http://y) \*b\* \| \<i\> \# c"


@pytest.mark.parametrize("name", ["[Beta] System", "*System"])
def test_no_row_of_a_latex_table_is_an_option_of_the_line_before(publish, proofs, name):
    System.objects.filter(runs__release=proofs).update(name=name)
    lines = unpacked(packed(publish()))["leaderboard.tex"].decode().splitlines()
    assert [line[: len(name) + 2] for line in lines if name in line] == [f"{{}}{name}"] * 3


def test_a_name_in_bibtex_stays_one_name():
    common = {
        "name": "a",
        "version": 1,
        "address": "https://x/",
        "asked": "",
        "limitations": "",
        "licence": "",
    }
    declared = Declared(**common, title="A } B", authors=["X and Y", "Z"], published_on="2027-03-01")
    assert b"author = {{X and Y} and {Z}}" in bibtex(declared)
    assert rb"title = {{A \} B}}" in bibtex(declared)
    assert yaml.safe_load(citation_cff(declared))["authors"] == [{"name": "X and Y"}, {"name": "Z"}]


# --- formulas ------------------------------------------------------------------------------------------------


def test_a_formula_is_mathml_and_one_that_cannot_be_set_is_its_source():
    def formula(latex: str, tag: str = "span") -> str:
        display = "true" if tag == "div" else "false"
        return f'<{tag} class="math" data-display="{display}" data-source="${latex}$">{latex}</{tag}>'

    short = with_mathml(formula("x^2"))
    assert short.startswith("<math")
    assert "<msup>" in short
    assert with_mathml(formula(r"\frac{")) == r'<code class="math-source">$\frac{$</code>'
    assert 'tabindex="0"' in with_mathml(formula("x", tag="div"))
    assert 'class="long-formula"' in with_mathml(formula("x+" * 20 + "x"))
    assert " style=" not in with_mathml(formula(r"\color{red}{x}\rule{1em}{1em}"))


def test_the_feed_has_an_entry_for_every_version_whatever_its_words(publish):
    publish(title="One \x07 <title> & more")
    second = publish(changes="One <label> was corrected.")
    feed = page("/records/gaps/feed.atom")
    assert feed.count("<entry>") == 2
    assert "<title>One  &lt;title&gt; &amp; more, version 1</title>" in feed
    assert "One &amp;lt;label&amp;gt; was corrected." in feed  # as text of HTML
    assert f"<id>{second.declared['address']}</id>" in feed
    assert page("/records/feed.atom").count("<entry>") == 2
    publish(changes="")
    feed = page("/records/gaps/feed.atom")
    assert (feed.count("First publication."), feed.count("New version.")) == (1, 1)


def test_a_record_whose_files_cannot_be_written_is_not_published(publish, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        with pytest.raises(Refused, match="cannot be written: No space left on device"):
            publish()
    assert not PublicRecord.objects.exists()
    assert not list((root() / "gaps").iterdir())
    row = publish()
    assert (row.version, [path.name for path in (root() / "gaps").glob("*[0-9]")]) == (1, ["1"])
    page("/records/gaps/1/")
    assert not list((root() / "gaps").glob(".[!n]*"))  # but .newest


def test_graded_and_blank_outputs_are_told_apart_by_a_comma():
    line = SimpleNamespace(letter="A", blank=1)
    row = SimpleNamespace(line=line, name="aurora", experts=SimpleNamespace(value="1.2", n=3))
    board = {"has_judge": True, "has_experts": True, "means": True, "top": 7, "lines": [row]}
    shown = render_to_string("reports/records/_board.html", {"board": board})
    assert "of 7, 3 graded, 1 blank<" in shown


def test_formulas_of_what_was_asked_and_of_the_limitations_are_set(publish):
    publish(asked="Is $x<y$ proved?\n\nFor $n>1$ and <b>all</b>.", limitations="Only $n=2$ was asked.")
    shown = page("/records/gaps/1/")
    asked = shown[shown.index('id="asked"') : shown.index("</section>", shown.index('id="asked"'))]
    limits = shown[shown.index('id="limits"') : shown.index("</section>", shown.index('id="limits"'))]
    assert (asked.count("<math"), asked.count("<p>"), limits.count("<math")) == (2, 2, 1)
    assert "&lt;b&gt;all" in asked


def test_authors_whose_names_have_commas_are_told_apart(publish):
    declared = Declared.from_json(publish().declared)
    assert replace(declared, authors=["A. Author", "B. Writer"]).author_line == "A. Author, B. Writer"
    assert replace(declared, authors=["Müller, Zoë", "B. Author"]).author_line == "Müller, Zoë; B. Author"


def test_reports_name_steps_as_referees_saw_them_and_in_their_order():
    labels = [
        ExpertLabel("s", "c", "each", step, "expert-1", value, "answered")
        for step, value in (("b10", "incorrect"), ("b3", "correct"))
    ]
    record = SimpleNamespace(
        declared=SimpleNamespace(show_reports=True),
        inputs=SimpleNamespace(campaigns=(), labels=labels),
        artifact={},
    )
    (report,) = said_of(record, "s", {"b3": "1", "b10": "2"})
    assert report["answers"] == [("Each, step 1", "correct"), ("Each, step 2", "incorrect")]
