"""What the source matcher leaves to people: listed, answered, withdrawn, kept; never with a system's name."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.citations.identity import Identity, certainly_other, same_work
from benchmark.models import Release, Settlement
from benchmark.settling.actions import settle, withdraw_settlement
from benchmark.settling.case import open_case
from benchmark.settling.queue import questions
from tests.benchmark.files import gap
from tests.benchmark.test_source_identity import pairs, side
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
    SystemFactory,
)
from tests.reports.conftest import queries

pytestmark = pytest.mark.django_db
CITED = "J. Harer. \\newblock On {Stable} classes of maps. \\newblock 1986."
SURE = {"title": "On stable classes of maps", "authors": "John Harer", "year": 1986}
NO_AUTHORS = {"title": "On stable classes of maps", "year": 1986}
ANOTHER = {"title": "A catalogue of butterflies", "authors": "Quentin Zzyzx", "year": 1921}


def study(*sources_by_system):
    """A release of two gaps that cite one paper; each system finds its list of sources for the first of them."""
    release = ReleaseFactory(
        name="gaps", benchmark=BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    )
    instances = []
    for number in range(2):
        payload = gap(number)
        payload["z"] |= {"citation_content": CITED, "doi": "", "arxiv_id": ""}
        instances.append(InstanceFactory(release=release, key=f"gap-{number}", payload=payload))
    for number, sources in enumerate(sources_by_system):
        system = SystemFactory(slug=f"system-{number}", name=f"Zeppelin {number}")
        run = RunFactory(release=release, system=system)
        payload = {"candidates": list(sources)}
        OutputFactory(run=run, instance=instances[0], state="abstained", text="", payload=payload)
    return release


@pytest.fixture
def release() -> Release:
    """Two outputs that name the source without its authors, in capitals once; one that is told apart."""
    shouted = {**NO_AUTHORS, "title": "On  STABLE classes of maps"}
    return study([ANOTHER, NO_AUTHORS], [shouted], [ANOTHER, SURE])


def test_a_pair_is_asked_about_once_wherever_it_comes_up(release):
    [question] = questions(release)
    assert (question.instances, question.outputs, question.answer) == (["gap-0"], 2, None)
    assert question.case.found == (("Title", "On stable classes of maps"), ("Year", "1986"))
    assert question.case.wanted == (("Citation", "J. Harer. On Stable classes of maps. 1986."),)
    assert question.case.reason == "the same title, but the authors of one are not given"


def test_texts_that_differ_in_more_than_case_and_space_are_two_pairs():
    one = open_case({"Title": "C*-algebras"}, {"Citation": "x"}, "why")
    for title in ("C-algebras", "C*-algebra", "C* algebras"):
        assert open_case({"Title": title}, {"Citation": "x"}, "why").pair != one.pair
    assert open_case({"Title": " c*-ALGEBRAS "}, {"Citation": "X"}, "why").pair == one.pair
    moved = open_case({"Title": "a", "Authors": "b c"}, {"Citation": "x"}, "why")
    assert moved.pair != open_case({"Title": "a b", "Authors": "c"}, {"Citation": "x"}, "why").pair


def test_of_two_people_the_later_one_decides_and_both_are_kept(release, coordinator, owner):
    pair = questions(release)[0].case.pair
    first = settle(actor=coordinator, release=release, pair=pair, verdict="same", note="The same abstract.")
    second = settle(actor=owner, release=release, pair=pair, verdict="different")
    [question] = questions(release)
    assert question.answer == second
    assert question.answers == [second, first]
    withdraw_settlement(actor=coordinator, settlement=second)
    [question] = questions(release)
    assert question.answer == first
    assert [(row.decided_by, row.withdrawn_by) for row in question.answers] == [
        (owner, coordinator),
        (coordinator, None),
    ]
    trail = AuditEvent.objects.order_by("pk").values_list(
        "verb", "actor__email", "details__verdict", "reason"
    )
    assert list(trail)[-3:] == [
        ("settle_source", coordinator.email, "same", "The same abstract."),
        ("settle_source", owner.email, "different", ""),
        ("withdraw_settlement", coordinator.email, "different", ""),
    ]


def test_an_answer_sent_twice_is_stored_once_and_one_taken_back_stays_so(release, coordinator):
    pair = questions(release)[0].case.pair
    row = settle(actor=coordinator, release=release, pair=pair, verdict="same")
    assert settle(actor=coordinator, release=release, pair=pair, verdict="same") == row
    assert Settlement.objects.count() == 1
    withdraw_settlement(actor=coordinator, settlement=row)
    with pytest.raises(Refused, match="already been withdrawn"):
        withdraw_settlement(actor=coordinator, settlement=row)
    again = settle(actor=coordinator, release=release, pair=pair, verdict="same")
    assert again != row


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"pair": "0" * 64}, "no_case"),
        ({"verdict": "perhaps"}, "bad_verdict"),
        ({"verdict": ""}, "bad_verdict"),
        ({"note": "n" * 501}, "note_too_long"),
    ],
)
def test_what_cannot_be_an_answer_is_refused(release, coordinator, sent, code):
    pair = questions(release)[0].case.pair
    with pytest.raises(Refused) as refusal:
        settle(actor=coordinator, release=release, **({"pair": pair, "verdict": "same"} | sent))
    assert refusal.value.code == code
    assert not Settlement.objects.exists()


def test_an_answer_belongs_to_its_release(release, coordinator):
    settle(actor=coordinator, release=release, pair=questions(release)[0].case.pair, verdict="same")
    run = RunFactory(release=ReleaseFactory(name="second", benchmark=release.benchmark))
    instance = InstanceFactory(
        release=run.release, key="gap-0", payload=release.instances.get(key="gap-0").payload
    )
    OutputFactory(
        run=run, instance=instance, state="abstained", text="", payload={"candidates": [NO_AUTHORS]}
    )
    [question] = questions(run.release)
    assert question.answers == []


REFUSED = {
    "settlement_verdict_is_known": {"verdict": "perhaps"},
    "settlement_names_its_pair": {"pair": ""},
    "settlement_withdrawn_by_somebody": {"withdrawn_at": timezone.now()},
}


@pytest.mark.parametrize(("constraint", "row"), REFUSED.items())
def test_the_database_refuses_settlements_that_say_nothing(release, coordinator, constraint, row):
    valid = {"pair": "x", "found": [], "wanted": [], "verdict": "same"}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Settlement.objects.create(release=release, decided_by=coordinator, **(valid | row))


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "different"},
        {"note": "later"},
        {"found": [["Title", "other"]]},
        {"pair": "y"},
        {"withdrawn_at": None, "withdrawn_by": None},
    ],
)
def test_a_settlement_is_withdrawn_once_and_never_changed(release, coordinator, change):
    row = Settlement.objects.create(
        release=release, decided_by=coordinator, pair="x", found=[], wanted=[], verdict="same"
    )
    withdrawn = {"withdrawn_at": timezone.now(), "withdrawn_by": coordinator}
    with pytest.raises(IntegrityError, match="withdrawn once, not changed"), transaction.atomic():
        Settlement.objects.filter(pk=row.pk).update(**(withdrawn | change))
    withdraw_settlement(actor=coordinator, settlement=row)
    with pytest.raises(IntegrityError, match="withdrawn once, not changed"), transaction.atomic():
        Settlement.objects.filter(pk=row.pk).update(withdrawn_at=timezone.now())
    with pytest.raises(IntegrityError, match="stays in the history"), transaction.atomic():
        Settlement.objects.filter(pk=row.pk).delete()


@pytest.fixture
def staff(coordinator):
    client = Client()
    client.force_login(coordinator)
    return client


def test_the_page_lists_settles_and_takes_back_without_naming_a_system(release, staff):
    page = reverse("settling", args=["gaps"])
    shown = staff.get(page).content.decode()
    assert "0 of 1" in shown
    assert "Zeppelin" not in shown
    assert "system-" not in shown
    pair = questions(release)[0].case.pair
    answer = staff.post(page, {"pair": pair, "verdict": "same", "show": "open", "page": "1", "next": ""})
    assert answer["Location"] == f"{page}?show=open&page=1"
    shown = staff.get(page).content.decode()
    assert "1 of 1" in shown
    assert "Everything is settled" in shown
    row = Settlement.objects.get()
    assert "Withdraw the answer" in staff.get(page, {"show": "settled"}).content.decode()
    staff.post(page, {"withdraw": row.pk})
    row.refresh_from_db()
    assert row.withdrawn_at is not None
    assert "0 of 1" in staff.get(page).content.decode()


@pytest.mark.parametrize("sent", [{"withdraw": "x"}, {"withdraw": "9" * 40}, {"withdraw": "77"}])
def test_an_answer_that_does_not_exist_cannot_be_taken_back(release, staff, sent):
    assert staff.post(reverse("settling", args=["gaps"]), sent).status_code == 404


def test_the_page_goes_to_no_address_but_its_own(release, staff):
    sent = {"pair": "0" * 64, "verdict": "same", "next": "//evil.test", "page": "1&x=//evil.test"}
    answer = staff.post(reverse("settling", args=["gaps"]), sent)
    assert answer["Location"] == f"{reverse('settling', args=['gaps'])}?page=1%26x%3D%2F%2Fevil.test"


def test_a_release_of_which_everything_is_told_says_so(staff):
    study([SURE])
    assert "There is nothing to settle" in staff.get(reverse("settling", args=["gaps"])).content.decode()


def test_a_protocol_without_open_cases_has_no_such_page(staff):
    release = ReleaseFactory()
    assert staff.get(reverse("settling", args=[release.name])).status_code == 404
    assert (
        reverse("settling", args=[release.name])
        not in staff.get(reverse("study", args=[release.name])).content.decode()
    )


def test_the_page_asks_no_more_of_the_database_for_more_cases(release, staff):
    page = reverse("settling", args=["gaps"])
    staff.get(page)
    before = queries(staff, page)
    run = RunFactory(release=release, system=SystemFactory())
    for number in range(12):
        source = {"title": "On stable classes of maps", "year": 1970 + number}
        OutputFactory(run=run, instance=release.instances.get(key="gap-1"), state="abstained", text="",
                      payload={"candidates": [source]}, attempt=number + 1)  # fmt: skip
    assert len(questions(release)) == 13
    assert queries(staff, page) == before


def test_rest_lists_settles_and_takes_back(release, staff, coordinator):
    address = reverse("api-source-questions", args=["gaps"])
    found = staff.get(address).json()
    assert (found["total"], found["settled"]) == (1, 0)
    [question] = found["questions"]
    assert question["found"] == {"Title": "On stable classes of maps", "Year": "1986"}
    assert question["verdict"] is None
    assert "system" not in str(found).lower()
    place = reverse("api-source-question", args=["gaps", question["pair"]])
    said = staff.post(place, {"verdict": "different", "note": "Another edition."}, "application/json").json()
    assert (said["verdict"], said["decided_by"]) == ("different", coordinator.email)
    assert staff.get(address, {"state": "open"}).json()["questions"] == []
    [question] = staff.get(address, {"state": "settled"}).json()["questions"]
    assert (question["verdict"], question["answers"][0]["note"]) == ("different", "Another edition.")
    assert staff.post(place, {"verdict": "perhaps"}, "application/json").status_code == 400
    assert staff.get(address, {"state": "nonsense"}).status_code == 400
    nowhere = reverse("api-source-question", args=["gaps", "0" * 64])
    assert staff.post(nowhere, {"verdict": "same"}, "application/json").json()["code"] == "no_case"
    settlement = reverse("api-settlement", args=["gaps", said["id"]])
    assert staff.delete(settlement).status_code == 204
    assert staff.delete(settlement).json()["code"] == "withdrawn"
    assert staff.get(address).json()["settled"] == 0


@pytest.mark.slow
@pytest.mark.no_database
def test_what_is_other_by_title_alone_is_different_whoever_the_authors_are():
    sides = [side(text) for *_, left, right in pairs() for text in (left, right)]
    skipped = 0
    for one in sides[::4]:
        for other in sides:
            if certainly_other(one, other):
                skipped += 1
                assert same_work(one, other).identity == Identity.DIFFERENT
    assert skipped > 10_000  # of 14,400
