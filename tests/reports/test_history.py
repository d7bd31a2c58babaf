"""The chain of history: a past row that changes, disappears or is put in between does not stay unseen."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.trail import record
from annotation.models import Answer, Comment, Flag, FlagSpan, Grade
from reports.history.chain import START, Head, faults, head, seal, waiting
from reports.history.kinds import KINDS, Columns, HistoryKind
from reports.models import HistoryLink
from reports.tasks import seal_history
from tests.factories import AssignmentFactory, VerdictFactory
from tests.guards import declared_guards

pytestmark = pytest.mark.django_db


@contextmanager
def guards_lifted(*tables: str) -> Iterator[None]:
    """What somebody with the database's password can do."""
    lifted = [guard for guard in declared_guards().values() if guard.table in tables]
    with connection.cursor() as cursor:
        for guard in lifted:
            cursor.execute(guard.removal(connection.vendor))
    yield
    with connection.cursor() as cursor:
        for guard in lifted:
            cursor.execute(guard.sqlite() if connection.vendor == "sqlite" else guard.postgresql())


def event(verb: str) -> AuditEvent:
    return record(actor=None, verb=verb, target=("nothing", "1"))


def grade() -> Grade:
    """With an answer, a comment, and a flag that marks a span."""
    given = Grade.objects.create(assignment=AssignmentFactory(), rubric_sha256=START, idempotency_key="k")
    Answer.objects.create(grade=given, question="correctness", value="correct", confidence=0.75)
    Comment.objects.create(grade=given, block="b1", start=0, end=4, severity="minor", text="Why?")
    flag = Flag.objects.create(grade=given, kind="context")
    FlagSpan.objects.create(flag=flag, block="b1", start=0, end=4, text="This")
    return given


def words() -> list[str]:
    return [str(fault) for fault in faults()]


def every_columns(columns: Columns) -> Iterator[Columns]:
    yield columns
    for child in columns.children:
        yield from every_columns(child)


def test_an_empty_chain_has_no_fault_and_starts_at_nothing() -> None:
    assert head() == Head(0, START)
    assert words() == []


def test_every_new_row_is_sealed_once_whatever_its_table() -> None:
    event("one")
    grade()
    VerdictFactory()
    written = sum(waiting().values())
    assert written >= 3
    assert seal_history() == written
    assert (seal(), sum(waiting().values()), head().position) == (0, 0, written)
    assert words() == []


def test_a_later_row_changes_the_head_and_an_earlier_head_stays_good() -> None:
    event("one")
    seal()
    kept = head()
    event("two")
    seal()
    assert head().chain != kept.chain
    call_command("verify_history", head=[str(kept)])


def test_a_changed_row_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    first = event("one")
    event("two")
    seal()
    with guards_lifted("accounts_auditevent"):
        AuditEvent.objects.filter(pk=first.pk).update(verb="forged")
    assert words() == [f"link 1: audit-event {first.pk} is not what was sealed"]
    with pytest.raises(CommandError, match=f"audit-event {first.pk} is not what was sealed"):
        call_command("verify_history")


CHANGES = {
    "annotation_answer": lambda: Answer.objects.update(value="incorrect"),
    "annotation_comment": lambda: Comment.objects.all().delete(),
    "annotation_flagspan": lambda: FlagSpan.objects.update(text="That"),
}


@pytest.mark.parametrize("table", CHANGES)
def test_what_belongs_to_a_grade_is_sealed_with_it(table: str) -> None:
    given = grade()
    seal()
    with guards_lifted(table):
        CHANGES[table]()
    assert [word for word in words() if f"grade {given.pk} is not what was sealed" in word]


def test_a_removed_row_is_named() -> None:
    first = event("one")
    seal()
    with guards_lifted("accounts_auditevent"):
        AuditEvent.objects.all().delete()
    assert words() == [f"link 1: audit-event {first.pk} is gone"]


def test_a_link_that_was_taken_out_or_exchanged_breaks_the_chain() -> None:
    for verb in ("one", "two", "three"):
        event(verb)
    seal()
    with guards_lifted("reports_historylink"):
        HistoryLink.objects.filter(position=2).delete()
    assert words() == [
        "link 3: is where link 2 should be: one is missing",
        "link 3: does not follow from the link before it",
    ]


def test_a_chain_that_was_made_anew_does_not_hold_a_head_that_was_kept() -> None:
    first = event("one")
    seal()
    kept = head()
    with guards_lifted("reports_historylink", "accounts_auditevent"):
        HistoryLink.objects.all().delete()
        AuditEvent.objects.filter(pk=first.pk).update(verb="forged")
        seal()
    assert words() == []
    with pytest.raises(CommandError, match=r"link 1: is .* and was"):
        call_command("verify_history", head=[str(kept)])


def test_a_chain_that_was_cut_does_not_hold_a_head_that_was_kept() -> None:
    event("one")
    seal()
    kept = head()
    with guards_lifted("reports_historylink"):
        HistoryLink.objects.all().delete()
    with pytest.raises(CommandError, match="shorter than it was"):
        call_command("verify_history", head=[str(kept)])


@pytest.mark.parametrize("text", ["", "12", "x:" + "0" * 64, "1:abc"])
def test_a_head_that_does_not_read_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="is not POSITION:HASH"):
        call_command("verify_history", head=[text])


def test_a_row_that_commits_late_is_sealed_by_a_later_pass() -> None:
    """Its number is lower than one that is sealed already, as on PostgreSQL with two writers at once."""
    early, late = event("one"), event("two")
    number = early.pk
    with guards_lifted("accounts_auditevent"):
        AuditEvent.objects.filter(pk=number).delete()
        seal()
        early.pk = number
        early.save(force_insert=True)
    assert late.pk > number
    assert seal() == 1
    assert words() == []


def test_two_sealers_at_once_cannot_take_the_same_position() -> None:
    event("one")
    seal()
    link = HistoryLink.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        HistoryLink.objects.create(
            position=link.position, kind="grade", version=1, row=99, sha256=START, chain=START
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        HistoryLink.objects.create(
            position=2, kind=link.kind, version=1, row=link.row, sha256=START, chain=START
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        HistoryLink.objects.create(position=0, kind="grade", version=1, row=99, sha256=START, chain=START)
    with pytest.raises(IntegrityError, match="append-only"):
        HistoryLink.objects.update(chain=START)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_the_newest_version_of_a_kind_hashes_every_column(kind: HistoryKind) -> None:
    """A new column of such a table needs a new version in reports/history/kinds.py."""
    assert [columns.missing for columns in every_columns(kind.versions[-1]) if columns.missing] == []


def test_sealing_more_grades_costs_no_more_queries() -> None:
    def queries_of(count: int) -> int:
        for _ in range(count):
            grade()
        with CaptureQueriesContext(connection) as captured:
            assert seal() >= count
        return len(captured)

    queries_of(1)
    assert queries_of(2) == queries_of(20)


def test_owners_read_the_head_on_its_page_and_through_rest(client: Client, owner: User) -> None:
    client.force_login(owner)
    assert "Nothing is sealed yet" in client.get("/reports/history/").content.decode()
    event("one")
    seal()
    assert str(head()) in client.get("/reports/history/").content.decode()
    answer = client.get("/api/v1/history/").json()
    assert (answer["head"], answer["sealed"]["audit-event"]) == (str(head()), head().position)


def test_a_worker_that_is_asked_twice_and_a_command_seal_nothing_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    event("one")
    call_command("verify_history", seal=True)
    assert "not sealed yet: nothing" in capsys.readouterr().out
    sealed = head()
    call_command("verify_history", seal=True, json=True)
    assert json.loads(capsys.readouterr().out)["head"] == str(sealed)
    assert sealed.position == 1


def test_the_history_belongs_to_people_in_the_navigation_and_not_to_scores(
    client: Client, owner: User
) -> None:
    client.force_login(owner)
    page = client.get(reverse("history")).content.decode()
    assert f'<a href="{reverse("people")}" aria-current="true">' in page
    assert f'<a href="{reverse("studies")}">' in page
