# ruff: noqa: F811 - a fixture of another file
"""The order in which staff and readers of a discussion see a pair: it tells of no system, and all values follow it."""

import json

import pytest
from django.urls import reverse

from annotation.adjudication.page import adjudication_page
from annotation.assigning import taking
from annotation.calibration.actions import make_calibration, reveal_calibration
from annotation.campaigns import actions as campaigns_actions
from annotation.core.item_names import is_turned, item_name
from annotation.core.material import item_material, shown_first
from annotation.core.visibility import Viewer
from annotation.models import Adjudication, Assignment, Campaign
from benchmark.models import Output
from reports.labels.comments import comment_rows
from reports.labels.rows import blind_subject, blinded, label_rows
from reports.printing.items import printed_items
from tests.annotation.grading import submit_grade
from tests.annotation.test_pairs import comparison, content, opened  # noqa: F401 # a fixture
from tests.conftest import member

pytestmark = pytest.mark.django_db


def grade(person, place, winner, **more):
    """Prefer the system `winner`, wherever it is shown."""
    first, second = shown_first(place)
    preferred = {first.run.system.slug: "first", second.run.system.slug: "second"}.get(winner, "tie")
    return submit_grade(
        reviewer=person,
        assignment=place,
        content=content(preferred, **more),
        idempotency_key=f"{place.handle}-grade",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )


@pytest.fixture
def other():
    return member("bea@study.test", "Bea", "reviewer", "algebra")


@pytest.fixture
def graded(comparison, coordinator, algebraist, other) -> Campaign:
    """Both graded all six pairs, from opposite sides: the first for the earlier of two systems, the other against it;
    each with a remark that quotes the text of the earlier one."""
    for output in Output.objects.filter(run__release=comparison.release).select_related("run__system"):
        Output.objects.filter(pk=output.pk).update(text=f"Words of {output.run.system.slug[0]}.")
    campaign = opened(comparison, coordinator)
    for person in (algebraist, other):
        while (place := taking.take_next(reviewer=person, campaign=campaign)) is not None:
            early, late = sorted(output.run.system.slug for output in (place.item.output, place.item.second))
            side = "first" if shown_first(place)[0].run.system.slug == early else "second"
            remark = {"block": f"{side}-b1", "start": 0, "end": 10, "severity": "minor", "text": early}
            grade(person, place, early if person == algebraist else late, anchored=[remark])
            if Assignment.objects.filter(reviewer=person).count() == 6:
                break
    return campaigns_actions.close_campaign(actor=coordinator, campaign=campaign, reason="all graded")


def text_of(system: str) -> str:
    return f"Words of {system[0]}."


def test_about_half_of_the_pairs_are_turned_by_a_key_and_not_by_their_name(graded):
    items = list(graded.items.all())
    turned = {item.pk: is_turned(item) for item in items}
    assert turned == {item.pk: is_turned(item) for item in items}
    many = [is_turned(type(items[0])(pk=number, second_id=1)) for number in range(1, 401)]
    assert 150 < sum(many) < 250
    names = [int(item_name(number)[-1], 16) % 2 == 1 for number in range(1, 401)]
    assert 150 < sum(one == two for one, two in zip(many, names, strict=True)) < 250


@pytest.mark.slow
def test_an_adjudicator_sees_texts_answers_and_remarks_in_one_order_and_decides_in_it(
    graded, coordinator, algebraist, client
):
    client.force_login(coordinator)
    for item in graded.items.select_related("output__run__system", "second__run__system"):
        page = adjudication_page(item)
        shown = [proof.anchored.text for proof in item_material(item, swapped=is_turned(item)).proofs]
        early = min(item.output, item.second, key=lambda output: output.run.system.slug)
        side = "first" if shown[0] == text_of(early.run.system.slug) else "second"
        against = {"first": "second", "second": "first"}[side]
        (preference,) = (row for row in page.disputed if row.question.key == "preference")
        # one preferred the earlier system, the other the later one, and both quoted the earlier one
        assert {answer.value for answer in preference.answers} == {"first", "second"}
        by_letter = {answer.letter: answer.value for answer in preference.answers}
        assert {remark.block for remark in page.remarks} == {f"{side}-b1"}
        place = Assignment.objects.get(item=item, reviewer=algebraist)
        letter = "AB"[
            sorted(Assignment.objects.filter(item=item).values_list("handle", flat=True)).index(place.handle)
        ]
        assert by_letter[letter] == side
        assert (letter in page.exchanged) == (place.swapped != is_turned(item))
        address = reverse("adjudicate", args=[graded.slug, item_name(item.pk)])
        client.post(address, {"question": "preference", "value": side})
        decision = Adjudication.objects.get(item=item)
        stored = "first" if item.output == early else "second"
        assert (decision.value, decision.overrules) == (stored, False)
        (after,) = (row for row in adjudication_page(item).disputed if row.question.key == "preference")
        assert (after.decision.value, [row.value for row in after.history]) == (side, [side])
        document = client.get(f"/api/v1/campaigns/{graded.slug}/adjudication/{item_name(item.pk)}/").json()
        (told,) = (row for row in document["questions"] if row["question"] == "preference")
        assert told["decision"]["value"] == side
        again = {"question": "preference", "value": against, "supersedes": decision.pk}
        reply = client.post(
            f"/api/v1/campaigns/{graded.slug}/adjudication/{item_name(item.pk)}/",
            json.dumps(again),
            content_type="application/json",
            headers={"Idempotency-Key": f"again-{item.pk}"},
        )
        assert (reply.status_code, reply.json()["value"]) == (201, against)


@pytest.mark.parametrize("identities", [False, True])
def test_a_blinded_print_shows_pairs_in_that_order_and_one_with_names_in_that_of_the_names(
    graded, identities
):
    (items,) = printed_items([graded], Viewer.STAFF, identities=identities)
    by_name = {item_name(item.pk)[:6]: item for item in graded.items.all()}
    for printed in items:
        passages = [
            part.passages[0] for part in printed.parts if part.title in ("First proof", "Second proof")
        ]
        early = min(passages, key=lambda passage: passage.block.source)
        assert (passages[0] is early) == (identities or not is_turned(by_name[printed.name]))
        # both quoted the earlier system's text
        assert [{text_of(comment.text) for comment in one.comments} for one in passages] == [
            {one.block.source} if one is early else set() for one in passages
        ]
        side = "first" if passages[0] is early else "second"
        (preference,) = (row for row in printed.answers if row.question.startswith("Which"))
        earlys_grader = preference.values.index(side)
        assert len(set(preference.values)) == 2
        exchanged = [name for name, words in printed.notes if "other order" in words]
        assert len(exchanged) == 1
        place = Assignment.objects.get(item=by_name[printed.name], reviewer__email__in=["bea@study.test"])
        turned = not identities and is_turned(by_name[printed.name])
        if not identities:
            bea = printed.graders[1 - earlys_grader]  # she preferred the later system
            assert (exchanged == [bea]) == (place.swapped != turned)


def test_the_blinded_comment_table_names_sides_as_the_blinded_label_table_does(graded, algebraist):
    """The first reviewer preferred the system that both quote, the other one its opponent."""
    names = {}
    for row in label_rows(graded.release):
        name, turned = blind_subject(graded.slug, row["subject"])
        names[name] = "second" if turned else "first"  # of the system whose name comes first
    comments = list(comment_rows(graded.release))
    assert {row["subject"]: str(row["block"]).partition("-")[0] for row in comments} == names
    labels = [row for row in blinded(label_rows(graded.release)) if row["question"] == "preference"]
    assert len(labels) == 12
    opposite = {"first": "second", "second": "first"}
    for row in labels:
        # in order 2 the sides were exchanged against those of the opaque name
        preferred = row["value"] if row["order"] == "1" else opposite[row["value"]]
        assert (preferred == names[row["subject"]]) == (row["rater"] == algebraist.rater)


def test_an_output_has_another_opaque_name_in_every_campaign(graded):
    (row, *_) = label_rows(graded.release)
    here = {one["subject"] for one in blinded([row])}
    elsewhere = {one["subject"] for one in blinded([{**row, "campaign": "other"}])}
    assert len(here | elsewhere) == 2


def test_a_discussion_tells_everybodys_answers_by_the_sides_that_the_reader_saw(
    comparison,
    coordinator,
    algebraist,
    other,
    client,
):
    campaign = opened(comparison, coordinator, mirrored_share=1.0)
    round_ = make_calibration(actor=coordinator, campaign=campaign, items=1)
    item = round_.items.get().item
    places = {}
    for person in (algebraist, other):
        place = taking.take_next(reviewer=person, campaign=campaign)
        while place.item_id != item.pk:
            place = taking.take_next(reviewer=person, campaign=campaign)
        places[person] = place
        grade(person, place, item.output.run.system.slug)  # both prefer the same one, from opposite sides
    assert places[algebraist].swapped is not places[other].swapped
    for repeat in item.assignments.filter(repeat=True):
        grade(repeat.reviewer, repeat, item.output.run.system.slug)
    mirrored = Assignment.objects.get(reviewer=algebraist, item=item, repeat=True)
    reveal_calibration(actor=coordinator, campaign=campaign)
    for person, place in places.items():
        client.force_login(person)
        document = client.get(f"/api/v1/discussions/{place.handle}/").json()
        (preference,) = (row for row in document["questions"] if row["key"] == "preference")
        own = "first" if shown_first(place)[0] == item.output else "second"
        assert {grader["blind"][0][1] for grader in preference["graders"]} == {own}
        assert len(document["exchanged"]) == 1
        assert "in the other order" in client.get(reverse("discussion", args=[place.handle])).content.decode()
    # read at the mirror image of the pair, the same answers have the other side
    place = places[algebraist]
    client.force_login(algebraist)
    document = client.get(f"/api/v1/discussions/{mirrored.handle}/").json()
    (preference,) = (row for row in document["questions"] if row["key"] == "preference")
    there = "first" if shown_first(mirrored)[0] == item.output else "second"
    assert {grader["blind"][0][1] for grader in preference["graders"]} == {there}
    assert there != ("first" if shown_first(place)[0] == item.output else "second")
