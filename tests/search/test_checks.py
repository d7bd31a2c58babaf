"""Checks of a release: its texts are found in a corpus under other names, decided by people, and downloaded."""

import csv
import io

import pytest
from django.db import IntegrityError, transaction

from accounts.holding import held
from accounts.models import AuditEvent
from accounts.refusal import Refused
from retrieval.duplicates import pairs
from search.checks.actions import ask_for_check, decide, run_waiting
from search.checks.texts import texts_of
from search.corpora.actions import import_corpus
from search.corpora.queries import corpus_sha256
from search.models import Finding, ReleaseCheck
from tests.factories import InstanceFactory, ReleaseFactory

pytestmark = pytest.mark.django_db
SAME = r"A subset of $\mathbb{R}^n$ is compact if and only if it is closed and bounded."
RENAMED = r"A continuous function $g$ on a compact set is uniformly continuous, as is well known."
OTHER = "Every group whose order is the square of a prime number is commutative, by the class equation."


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setattr("search.checks.actions.call_worker", lambda task: None)


@pytest.fixture
def release(db):
    release = ReleaseFactory(name="mine")
    InstanceFactory(release=release, key="a", payload={"problem": SAME, "more": {"proofs": ["short", OTHER]}})
    InstanceFactory(release=release, key="b", payload={"problem": RENAMED})
    return release


@pytest.fixture
def check(release, corpus, owner):
    asked = ask_for_check(actor=owner, release=release, corpus=corpus)
    assert run_waiting() == 1
    asked.refresh_from_db()
    return asked


def test_texts_are_named_by_their_fields_and_short_ones_are_left_out():
    payload = {"problem": SAME, "more": {"proofs": ["short", OTHER]}, "n": 3, "none": None}
    assert dict(texts_of(payload)) == {"problem": SAME, "more.proofs.2": OTHER}


def test_what_is_published_is_found_with_how_alike_it_is(check):
    found = {(row.instance.key, row.field): (row.statement.key, row.kind) for row in check.findings.all()}
    assert found[("a", "problem")] == ("compact", "identical")
    assert found[("b", "problem")][0] == "uniform"
    assert ("a", "more.proofs.2") not in found
    assert (check.state, len(check.corpus_sha256)) == ("done", 64)


def test_one_check_of_the_same_two_runs_at_a_time(release, corpus, owner):
    ask_for_check(actor=owner, release=release, corpus=corpus)
    with pytest.raises(Refused, match="right now"):
        ask_for_check(actor=owner, release=release, corpus=corpus)


def test_a_check_that_fails_says_why(release, corpus, owner, monkeypatch):
    def fails(*_):
        raise MemoryError

    monkeypatch.setattr("search.checks.actions.pairs", fails)
    ask_for_check(actor=owner, release=release, corpus=corpus)
    assert run_waiting() == 0
    assert ReleaseCheck.objects.get().problem == "MemoryError"


def test_the_hash_of_a_check_is_that_of_the_statements_which_were_compared(
    release, corpus, owner, write, monkeypatch
):
    def meanwhile(texts, against):
        import_corpus(
            actor=None, path=write([{"key": "new", "document": "d", "body": "Zorn."}]), slug="library"
        )
        return pairs(texts, against)

    monkeypatch.setattr("search.checks.actions.pairs", meanwhile)
    ask_for_check(actor=owner, release=release, corpus=corpus)
    assert run_waiting() == 1
    assert ReleaseCheck.objects.get().corpus_sha256 == corpus_sha256(corpus)


def test_a_check_whose_process_died_has_failed(release, corpus, owner, settings):
    asked = ask_for_check(actor=owner, release=release, corpus=corpus)
    ReleaseCheck.objects.update(state="running")
    with held(settings.INDEX_DIR / f"check-{asked.pk}.held"):
        assert run_waiting() == 0
        assert ReleaseCheck.objects.get().state == "running"
    assert run_waiting() == 0
    assert "did not end" in ReleaseCheck.objects.get().problem
    ask_for_check(actor=owner, release=release, corpus=corpus)
    assert run_waiting() == 1


def test_decisions_are_kept_in_the_trail_and_can_be_withdrawn(check, coordinator):
    finding = check.findings.get(kind="identical")
    decide(actor=coordinator, finding=finding, decision="leak", note="The same lemma")
    finding.refresh_from_db()
    assert (finding.decision, finding.decided_by) == ("leak", coordinator)
    decide(actor=coordinator, finding=finding, decision="")
    finding.refresh_from_db()
    assert (finding.decision, finding.decided_at) == ("", None)
    trail = AuditEvent.objects.filter(verb="decide_finding").order_by("pk")
    assert [row.details["decision"] for row in trail] == ["leak", ""]


def test_the_page_asks_shows_decides_and_downloads(client, release, corpus, coordinator, algebraist):
    client.force_login(algebraist)
    assert client.get("/search/checks/mine/").status_code == 403
    client.force_login(coordinator)
    assert client.post("/search/checks/mine/ask/", {"corpus": "library"}).status_code == 302
    run_waiting()
    page = client.get("/search/checks/mine/").content.decode()
    assert "Identical: " in page
    finding = Finding.objects.get(kind="identical")
    client.post(f"/search/checks/mine/findings/{finding.pk}/", {"decision": "duplicate", "note": "=1+1"})
    address = f"/search/checks/mine/{finding.check_of_id}.csv"
    rows = list(csv.DictReader(io.StringIO(b"".join(client.get(address).streaming_content).decode())))
    (mine,) = [row for row in rows if row["kind"] == "identical"]
    assert (mine["instance"], mine["statement"], mine["decision"]) == ("a", "compact", "duplicate")
    assert mine["note"] == "'=1+1"


@pytest.mark.parametrize(
    "change",
    [
        lambda row: Finding.objects.filter(pk=row.pk).update(permille=1001),
        lambda row: Finding.objects.filter(pk=row.pk).update(decision="leak"),
        lambda row: Finding.objects.filter(pk=row.pk).update(kind="related"),
        lambda row: ReleaseCheck.objects.update(done_at=None),
        lambda row: ReleaseCheck.objects.update(problem="why"),
    ],
)
def test_the_database_refuses_what_cannot_be(check, change):
    with pytest.raises(IntegrityError), transaction.atomic():
        change(check.findings.get(kind="identical"))
