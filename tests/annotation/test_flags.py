"""Flags of leakage: what may be marked, how they are kept, and what the database refuses."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.core.material import material
from annotation.core.own_data import own_data
from annotation.grading.actions import reopen_grade
from annotation.grading.answers import Incomplete
from annotation.grading.flag_places import flag_places
from annotation.grading.leakage import CheckedSpan, FlagPlace, checked_flags, http_address
from annotation.models import Assignment, Flag, FlagSpan
from benchmark.leakage_kinds import FLAG_KINDS
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.factories import OutputFactory

CONTEXT = FlagPlace("part1-b1", "instance", "Context", "By 𝔖-duality of Tu the claim follows.")
PLACES = {
    place.block: place
    for place in (
        CONTEXT,
        FlagPlace("part2-b1", "instance", "Anchor", "As Tu shows in 1983."),
        FlagPlace("first-b1", "output", "Proof", "We copy the proof.", "first"),
        FlagPlace("second-b1", "output", "Proof", "We find another.", "second"),
    )
}
AUTHOR = {"kind": "author", "spans": [{"block": "part1-b1", "start": 3, "end": 4}]}
PUBLIC = {"kind": "public_solution", "link": "https://example.org/solution?a=1#b"}
RESTATES = {
    "kind": "restates_proof",
    "spans": [{"block": "first-b1", "start": 3, "end": 7}],
    "note": " word by word ",
}


def check(*raw, kinds=tuple(FLAG_KINDS)):
    problems: dict[str, str] = {}
    return checked_flags(list(raw), PLACES, kinds, problems), problems.get("flags", "")


def test_a_flag_keeps_the_words_it_marks_counted_in_code_points():
    (flag,), problem = check(AUTHOR)
    assert not problem
    assert flag.spans == (CheckedSpan("part1-b1", 3, 4, "𝔖"),)


def test_a_flag_marks_several_spans_in_several_blocks():
    spans = [{"block": "part1-b1", "start": 16, "end": 18}, {"block": "part2-b1", "start": 3, "end": 5}]
    (flag,), _ = check({"kind": "author", "spans": spans})
    assert [span.text for span in flag.spans] == ["Tu", "Tu"]


def test_an_output_of_a_pair_is_flagged_by_its_side():
    (flag,), _ = check(RESTATES)
    assert (flag.side, flag.note) == ("first", "word by word")


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ({"kind": "gossip", "spans": AUTHOR["spans"]}, "kind is unknown"),
        ({"kind": "author", "spans": []}, "mark the text"),
        ({"kind": "author", "spans": "all"}, "must be a list"),
        ({"kind": "author", "spans": [{"block": "part9-b1", "start": 0, "end": 1}]}, "not on this page"),
        (
            {"kind": "author", "spans": [{"block": "part1-b1", "start": 3, "end": 3}]},
            "marks? nothing|mark nothing",
        ),
        ({"kind": "author", "spans": [{"block": "part1-b1", "start": 0, "end": 99}]}, "outside its block"),
        ({"kind": "author", "spans": [{"block": "first-b1", "start": 0, "end": 2}]}, "is about the problem"),
        ({"kind": "restates_proof", "spans": AUTHOR["spans"]}, "is about the answer"),
        ({"kind": "public_solution"}, "say where"),
        ({"kind": "public_solution", "link": "javascript:alert(1)"}, "not an http or https"),
        ({"kind": "author", "spans": AUTHOR["spans"], "note": "x" * 2001}, "longer than"),
        ({"spans": []}, "kind"),
        (["author"], "cannot be kept"),
        (
            {
                "kind": "restates_proof",
                "spans": [{"block": f"{side}-b1", "start": 0, "end": 2} for side in ("first", "second")],
            },
            "both proofs",
        ),
    ],
)
def test_a_flag_that_cannot_be_kept_says_why(flag, words):
    kept, problem = check(flag)
    assert not kept
    assert re.search(words, problem), problem


def test_a_kind_that_the_protocol_does_not_know_is_refused():
    _, problem = check(AUTHOR, kinds=("context",))
    assert "kind is unknown" in problem


@pytest.mark.parametrize(
    "address",
    [
        "ftp://example.org",
        "https://",
        "//example.org",
        "data:text/html,x",
        "https://a b.org",
        "https://user:secret@example.org/",
        'https://example.org/"onclick=',
        "https://example.org/\u202e",
        "https://[broken",
        "https://example.org/" + "x" * 500,
    ],
)
def test_only_plain_web_addresses_are_links(address):
    with pytest.raises(ValueError, match=r"address|IPv6"):
        http_address(address)


def content(place: Assignment, **changes) -> dict:
    """Complete answers with two flags: of the statement's first word, and of a public solution."""
    block = next(iter(flag_places(material(place))))
    context = {"kind": "context", "spans": [{"block": block, "start": 0, "end": 4}], "link": "", "note": "n"}
    return {**COMPLETE, "flags": [context, PUBLIC], **changes}


def submitted(place: Assignment, **changes):
    return submit_grade(
        reviewer=place.reviewer,
        assignment=place,
        content=content(place, **changes),
        idempotency_key="k",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )


@pytest.mark.django_db
def test_a_grade_keeps_its_flags_and_a_revision_has_its_own(place):
    grade = submitted(place)
    first, second = grade.flags.order_by("pk")
    assert (first.kind, second.link, first.output) == ("context", PUBLIC["link"], None)
    assert first.spans.get().text == "Show"
    place.refresh_from_db()
    reopen_grade(reviewer=place.reviewer, assignment=place)
    revised = submit_grade(
        reviewer=place.reviewer,
        assignment=place,
        content=content(place, flags=[]),
        idempotency_key="k2",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )
    assert (grade.flags.count(), revised.flags.count()) == (2, 0)


@pytest.mark.django_db
def test_a_wrong_flag_is_named_beside_the_open_questions_and_nothing_is_stored(place):
    with pytest.raises(Incomplete) as refusal:
        submitted(place, answers={}, flags=[{"kind": "context", "spans": []}])
    assert {"flags", "correctness", "rigour"} == set(refusal.value.problems)
    assert not Flag.objects.exists()


@pytest.mark.django_db
def test_flags_come_by_rest_and_in_ones_own_data(client, place, algebraist):
    client.force_login(algebraist)
    body = {"content": content(place), "rubric_sha256": place.item.campaign.rubric.sha256}
    address = reverse("api-assignment", args=[place.handle])
    reply = client.post(address, body, "application/json", headers={"Idempotency-Key": "k"})
    assert reply.status_code == 201, reply.content
    kinds = [flag["kind"] for flag in reply.json()["flags"]]
    assert kinds == ["context", "public_solution"]
    (mine,) = own_data(algebraist)["places"]
    assert [flag["kind"] for flag in mine["grades"][0]["flags"]] == kinds
    page = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert "The context gives the step away" in page
    assert f'href="{PUBLIC["link"]}"' not in page  # shown as text, no link


@pytest.mark.django_db
def test_the_database_keeps_flags_as_they_were_given(place):
    submitted(place)
    for rows, change in ((Flag.objects.all(), {"note": "x"}), (FlagSpan.objects.all(), {"start": 1})):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows.update(**change)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows._raw_delete(rows.db)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"kind": "gossip"}, "flag_kind_is_known_and_has_its_subject"),
        ({"kind": "restates_proof"}, "flag_kind_is_known_and_has_its_subject"),
        ({"kind": "context", "link": "javascript:x"}, "flag_link_is_http"),
        ({"kind": "public_solution"}, "flag_of_a_public_solution_says_where"),
    ],
)
def test_a_flag_outside_its_rules_is_refused_by_the_database(place, fields, name):
    grade = submitted(place)
    with pytest.raises(IntegrityError, match=name):
        Flag.objects.create(grade=grade, **fields)


@pytest.mark.django_db
def test_a_flag_about_another_items_output_is_refused_by_the_database(place):
    grade = submitted(place)
    other = OutputFactory()
    with pytest.raises(IntegrityError, match="output of its item"):
        Flag.objects.create(grade=grade, kind="restates_proof", output=other)


@pytest.mark.django_db
def test_a_span_that_marks_nothing_is_refused_by_the_database(place):
    flag = submitted(place).flags.first()
    with pytest.raises(IntegrityError, match="flag_span_marks_something"):
        FlagSpan.objects.create(flag=flag, block="b", start=2, end=2, text="")
