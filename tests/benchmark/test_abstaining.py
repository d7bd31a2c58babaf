"""An answer counts as abstained later, with a reason; withdrawn while nothing rests on it; refused afterwards."""

import json
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.refusal import NotAllowed, Refused
from benchmark.abstaining.actions import mark_abstained, unmark_abstained
from benchmark.importing.outputs import import_outputs
from benchmark.models import Abstention, Output, OutputState, Release, Run
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release, freeze_run
from benchmark.releases.integrity import run_sha256

pytestmark = pytest.mark.django_db
REASON = "It says only that it gives up."


@pytest.fixture
def run(db: None, tmp_path: Path) -> Run:
    """Two problems; the system proves the first and gives up on the second without saying so in the file."""
    rows = [
        {"instance_id": key, "domain": "algebra", "statement": "Show it.", "reference_solution": "Shown."}
        | {"guidance": {"target_claim": "", "objects": [], "common_issues": []}, "title": key}
        for key in ("p1", "p2")
    ]
    (tmp_path / "release.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "p1.md").write_text("We show it.\n", encoding="utf-8")
    (answers / "p2.md").write_text("Sorry.\n", encoding="utf-8")
    import_release(actor=None, protocol="proofs", path=tmp_path / "release.jsonl", name="sheet")
    release = Release.objects.select_related("benchmark").get(name="sheet")
    import_outputs(actor=None, path=answers, release=release, system="heron")
    return Run.objects.get()


@pytest.fixture
def given_up(run: Run) -> Output:
    return Output.objects.get(instance__key="p2")


def test_a_marked_answer_is_abstained_with_hashes_that_say_so(given_up: Output, owner: User) -> None:
    before = given_up.run.sha256
    mark_abstained(actor=owner, output=given_up, reason=f"  {REASON} ")
    marked = Output.objects.select_related("run", "abstention").get(pk=given_up.pk)
    assert (marked.state, marked.text, marked.abstention.reason) == ("abstained", given_up.text, REASON)
    assert marked.sha256 != given_up.sha256
    assert marked.run.sha256 == run_sha256(marked.run) != before
    event = AuditEvent.objects.get(verb="mark_abstained")
    assert (event.actor, event.reason, event.details["before"]) == (owner, REASON, before)


def test_withdrawing_the_mark_gives_the_hashes_of_the_file_again(given_up: Output, owner: User) -> None:
    before = given_up.run.sha256
    mark_abstained(actor=owner, output=given_up, reason=REASON)
    unmark_abstained(actor=owner, output=given_up)
    again = Output.objects.select_related("run").get(pk=given_up.pk)
    assert (again.state, again.sha256, again.run.sha256) == ("answered", given_up.sha256, before)
    assert not Abstention.objects.exists()
    assert AuditEvent.objects.filter(verb="unmark_abstained", actor=owner).exists()
    with pytest.raises(Refused, match="Nobody marked"):
        unmark_abstained(actor=owner, output=given_up)


def test_problems_may_be_frozen_but_a_run_that_was_drawn_or_judged_stays(
    given_up: Output, owner: User
) -> None:
    freeze_release(actor=owner, release=given_up.run.release)
    mark_abstained(actor=owner, output=given_up, reason=REASON)
    freeze_run(run=given_up.run)
    with pytest.raises(Refused, match="do not change any more"):
        unmark_abstained(actor=owner, output=given_up)
    proof = Output.objects.get(instance__key="p1")
    with pytest.raises(Refused, match="do not change any more"):
        mark_abstained(actor=owner, output=proof, reason=REASON)
    assert Output.objects.filter(state=OutputState.ABSTAINED).count() == 1


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_mark_needs_a_reason_of_some_length(given_up: Output, owner: User, reason: str) -> None:
    with pytest.raises(Refused, match="reason of at most 500"):
        mark_abstained(actor=owner, output=given_up, reason=reason)
    given_up.refresh_from_db()
    assert given_up.state == "answered"


def test_only_answers_are_marked_and_only_by_the_staff(
    given_up: Output, owner: User, algebraist: User
) -> None:
    with pytest.raises(NotAllowed):
        mark_abstained(actor=algebraist, output=given_up, reason=REASON)
    mark_abstained(actor=owner, output=given_up, reason=REASON)
    with pytest.raises(Refused, match="already abstained"):
        mark_abstained(actor=owner, output=given_up, reason=REASON)


def test_the_database_keeps_marks_and_states_together(given_up: Output, owner: User) -> None:
    with pytest.raises(IntegrityError, match="did not abstain"), transaction.atomic():
        Abstention.objects.create(output=given_up, reason=REASON)
    mark = mark_abstained(actor=owner, output=given_up, reason=REASON)
    with pytest.raises(IntegrityError, match="not changed"), transaction.atomic():
        Abstention.objects.update(reason="Another.")
    proof = Output.objects.get(instance__key="p1")
    Output.objects.filter(pk=proof.pk).update(state=OutputState.ABSTAINED)
    freeze_run(run=given_up.run)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        mark.delete()
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        Abstention.objects.create(output=proof, reason=REASON)


def test_the_page_says_what_changes_then_the_study_says_one_blank(
    client: Client, given_up: Output, owner: User
) -> None:
    client.force_login(owner)
    instance = reverse("instance", args=["sheet", "p2"])
    address = reverse("abstain", args=["sheet", given_up.pk])
    assert address in client.get(instance).content.decode()
    assert "1 of the system’s 2 outputs instead of 2" in client.get(address).content.decode()
    refused = client.post(address, {"reason": " "})
    assert refused.status_code == 400
    assert "Give a reason" in refused.content.decode()
    assert client.post(address, {"reason": REASON}).url == instance
    assert f"Counted as abstained: {REASON}" in client.get(instance).content.decode()
    assert "1 blank" in client.get(reverse("study", args=["sheet"])).content.decode()
    assert "1 answer and 1 blank" in client.get(reverse("score", args=["sheet"])).content.decode()
    client.post(address, {"undo": "1"})
    assert "1 blank" not in client.get(reverse("study", args=["sheet"])).content.decode()
    freeze_run(run=given_up.run)
    text = client.get(address).content.decode()
    assert "do not change any more" in text
    assert "<button" not in text.split("<main")[1]
    assert address not in client.get(instance).content.decode()
