"""Blind comparisons: sides drawn once, counterbalanced and kept; the answer names the output."""

import itertools
import json
from collections import Counter

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from scipy.stats import binomtest

from accounts.refusal import Refused
from annotation.adjudication.reading import queue
from annotation.adjudication.settling import State
from annotation.assigning import actions as assigning_actions
from annotation.assigning import taking
from annotation.assigning.plans import plan_in_words
from annotation.calibration.actions import answer_again, make_calibration, reveal_calibration
from annotation.campaigns import actions as campaigns_actions
from annotation.campaigns import pairs as campaigns_pairs
from annotation.campaigns.actions import keep_rubric
from annotation.campaigns.pairing import mirrored, next_side, pairs
from annotation.core.documents import anchored_documents, anchors
from annotation.core.material import material, shown_first
from annotation.core.queries import comparable_systems
from annotation.core.visibility import Viewer
from annotation.grading.actions import reopen_grade
from annotation.models import Answer, Assignment, AssignmentState, Item
from annotation.quarantine.actions import decide_identity, redact_release, withdraw_decision
from annotation.quarantine.reading import with_findings
from benchmark.identities.actions import scan_identities
from benchmark.models import IdentityDecision, Output, OutputState, RedactedOutput, Run
from reports.campaign.data import campaign_data
from reports.invariants.rules import grades_keep_what_was_shown
from reports.labels.comments import comment_rows
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from reports.printing.items import printed_items
from tests.annotation.campaigns import decided
from tests.annotation.grading import submit_grade
from tests.conftest import member
from tests.factories import (
    CampaignFactory,
    ExpertiseFactory,
    InstanceFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
    hash_as_imported,
)

pytestmark = pytest.mark.django_db

GDEF = r"\gdef\le{\ge} We have $a \le b$."
PLAIN = "We have $a \\le b$."


@pytest.fixture
def comparison(coordinator):
    """Two problems of algebra, answered by three systems; two reviewers an item."""
    release = ReleaseFactory(name="pairs")
    problems = [InstanceFactory(release=release, key=f"a{number}", domain="algebra") for number in (1, 2)]
    for slug in ("aurora", "basalt", "cobalt"):
        run = RunFactory(release=release, system__slug=slug, system__name=slug.title())
        for problem in problems:
            OutputFactory(run=run, instance=problem, text=f"Argument {ord(slug[0])} for {problem.key}.")
    return CampaignFactory(
        slug="which",
        release=release,
        rubric=keep_rubric("proofs", "proofs-pairs-v1"),
        kind="compare",
        reviewers_per_item=2,
        created_by=coordinator,
    )


def opened(comparison, coordinator, **terms):
    campaigns_pairs.draw_pairs(actor=coordinator, campaign=comparison, **terms)
    return campaigns_actions.open_campaign(actor=coordinator, campaign=comparison)


def content(value="first", **changes):
    return {"answers": {"preference": value, "sureness": "1"}, **changes}


def submit(person, place, value="first", **sent):
    return submit_grade(
        reviewer=person,
        assignment=place,
        content=content(value),
        idempotency_key=f"{place.handle}-{value}",
        rubric_sha256=place.item.campaign.rubric.sha256,
        **sent,
    )


def test_an_answer_in_words_has_any_length(comparison, coordinator, algebraist):
    place = taking.take_next(reviewer=algebraist, campaign=opened(comparison, coordinator))
    words = "The second proof never uses that the group is finite. " * 40
    grade = submit_grade(
        reviewer=algebraist,
        assignment=place,
        content={"answers": {"preference": "first", "sureness": "1", "reason": words}},
        idempotency_key="long",
        rubric_sha256=comparison.rubric.sha256,
    )
    assert grade.answers.get(question="reason").value == words.strip()


def test_every_pair_of_systems_is_a_stratum_of_the_problems_that_both_answered(comparison, coordinator):
    items = campaigns_pairs.draw_pairs(actor=coordinator, campaign=comparison)
    assert Counter(item.stratum for item in items) == {
        "aurora|basalt": 2,
        "aurora|cobalt": 2,
        "basalt|cobalt": 2,
    }
    assert all(item.output.instance == item.second.instance == item.instance for item in items)


def test_some_systems_and_some_problems_are_drawn_by_seed(comparison, coordinator):
    items = campaigns_pairs.draw_pairs(
        actor=coordinator, campaign=comparison, systems=["aurora", "cobalt"], per_stratum=1
    )
    assert [(item.stratum, item.stratum_size, item.sample_size) for item in items] == [
        ("aurora|cobalt", 2, 1)
    ]


def test_systems_without_an_answer_are_not_offered_for_a_comparison(comparison):
    silent = RunFactory(release=comparison.release, system__slug="dolomite")
    later = RunFactory(release=comparison.release, system__slug="emerald")
    problem = comparison.release.instances.first()
    OutputFactory(run=silent, instance=problem, state=OutputState.ABSTAINED, text="")
    OutputFactory(run=later, instance=problem, attempt=2)
    assert [slug for slug, _ in comparable_systems(comparison)] == ["aurora", "basalt", "cobalt"]


def test_a_pair_that_comes_twice_is_one_item_of_what_a_reviewer_may_hold(
    comparison, coordinator, algebraist, second_algebraist
):
    comparison.most_per_reviewer = 2
    comparison.save()
    campaign = opened(comparison, coordinator, mirrored_share=1)
    for _ in range(2):
        taking.take_next(reviewer=algebraist, campaign=campaign)
    with pytest.raises(Refused, match="at most 2 items") as refusal:
        taking.take_next(reviewer=algebraist, campaign=campaign)
    assert refusal.value.code == "enough"
    taking.take_next(reviewer=second_algebraist, campaign=campaign)
    plan = assigning_actions.plan_assignment(campaign)
    assigning_actions.apply_plan(actor=coordinator, campaign=campaign, sha256=plan.sha256)
    held = Assignment.objects.filter(repeat=False).values_list("reviewer", flat=True)
    assert Counter(held) == {algebraist.pk: 2, second_algebraist.pk: 2}


def test_what_cannot_be_drawn_is_said(comparison, coordinator):
    for terms, words in (
        ({"systems": ["aurora"]}, "two of these systems"),
        ({"systems": ["aurora", "gone"]}, "gone has no answers"),
        ({"per_stratum": 0}, "at least one item"),
        ({"mirrored_share": 1.5}, "between 0 and 1"),
    ):
        with pytest.raises(Refused, match=words):
            campaigns_pairs.draw_pairs(actor=coordinator, campaign=comparison, **terms)
    with pytest.raises(Refused, match="draws pairs"):
        campaigns_actions.draw_items(actor=coordinator, campaign=comparison)
    with pytest.raises(Refused, match="Only a campaign of comparisons"):
        campaigns_pairs.draw_pairs(actor=coordinator, campaign=CampaignFactory(release=comparison.release))


def test_answers_that_are_missing_make_no_pair(comparison, coordinator):
    comparison.release.runs.get(system__slug="aurora").outputs.filter(instance__key="a1").update(
        state=OutputState.ABSTAINED
    )
    items = campaigns_pairs.draw_pairs(actor=coordinator, campaign=comparison)
    assert Counter(item.stratum for item in items)["aurora|basalt"] == 1


def test_the_two_reviewers_of_a_pair_see_opposite_sides(comparison, coordinator, algebraist):
    other = member("bea@study.test", "Bea", "reviewer", "algebra")
    campaign = opened(comparison, coordinator)
    for person in (algebraist, other):
        for _ in range(6):
            taking.take_next(reviewer=person, campaign=campaign)
    for item in campaign.items.all():
        assert sorted(item.assignments.values_list("swapped", flat=True)) == [False, True]


def test_a_plan_counterbalances_as_well(comparison, coordinator, algebraist):
    member("bea@study.test", "Bea", "reviewer", "algebra")
    campaign = opened(comparison, coordinator)
    plan = assigning_actions.plan_assignment(campaign)
    assigning_actions.apply_plan(actor=coordinator, campaign=campaign, sha256=plan.sha256)
    for item in campaign.items.all():
        assert sorted(item.assignments.values_list("swapped", flat=True)) == [False, True]


def test_two_thousand_pairs_favour_no_side_and_no_system():
    """Exact binomial tests at .001, overall and for each of ten systems; balance within one for each pair."""
    firsts: Counter[int] = Counter()
    swapped = total = 0
    shown: Counter[int] = Counter()
    for item in range(2000):
        left, right = item % 10, (item * 7 + 3) % 10
        sides: list[bool] = []
        for _ in range(3):
            sides.append(next_side(b"key", campaign=1, item=item, earlier=sides))
        assert abs(2 * sum(sides) - len(sides)) <= 1
        for side in sides:
            swapped, total = swapped + side, total + 1
            firsts[right if side else left] += 1
            shown[left] += 1
            shown[right] += 1
    assert binomtest(swapped, total).pvalue > 0.001
    for system in range(10):
        assert binomtest(firsts[system], shown[system]).pvalue > 0.001


@pytest.mark.slow
def test_a_side_is_the_same_however_often_and_wherever_the_page_is_opened(
    client, comparison, coordinator, algebraist
):
    place = taking.take_next(reviewer=algebraist, campaign=opened(comparison, coordinator))
    client.force_login(algebraist)
    pages = {
        client.get(f"/grading/items/{place.handle}/").content.decode().split("Argument")[1][:5]
        for _ in range(50)
    }
    assert len(pages) == 1


def test_the_answer_names_the_output_whichever_side_it_stood_on(comparison, coordinator, algebraist):
    other = member("bea@study.test", "Bea", "reviewer", "algebra")
    campaign = opened(comparison, coordinator, systems=["aurora", "basalt"], per_stratum=1)
    for person in (algebraist, other):
        place = taking.take_next(reviewer=person, campaign=campaign)
        first = shown_first(place)[0]
        value = "first" if first.run.system.slug == "basalt" else "second"
        submit(person, place, value)
    answers = Answer.objects.filter(question="preference")
    assert sorted(answers.values_list("value", flat=True)) == ["first", "second"]
    assert {answer.preferred.run.system.slug for answer in answers} == {"basalt"}
    assert Answer.objects.exclude(question="preference").filter(preferred__isnull=False).count() == 0


@pytest.mark.parametrize("value", ["tie", "both_bad"])
def test_a_tie_names_nobody(comparison, coordinator, algebraist, value):
    place = taking.take_next(reviewer=algebraist, campaign=opened(comparison, coordinator))
    submit(algebraist, place, value)
    assert Answer.objects.get(question="preference").preferred is None


def test_a_mirrored_pair_comes_again_at_the_end_with_the_sides_exchanged(comparison, coordinator, algebraist):
    campaign = opened(comparison, coordinator, mirrored_share=0.5)
    assert campaign.items.filter(mirrored=True).count() == 3
    for _ in range(6):
        taking.take_next(reviewer=algebraist, campaign=campaign)
    places = list(Assignment.objects.filter(reviewer=algebraist).order_by("position"))
    assert [place.repeat for place in places] == [False] * 6 + [True] * 3
    for repeat in places[6:]:
        original = next(place for place in places[:6] if place.item_id == repeat.item_id)
        assert repeat.swapped is not original.swapped
        assert repeat.handle != original.handle
        assert shown_first(repeat) == shown_first(original)[::-1]
    # who prefers the same proof both times leaves the same stored winner
    submit(algebraist, places[6], "first")
    original = next(place for place in places[:6] if place.item_id == places[6].item_id)
    submit(algebraist, original, "second")
    assert Answer.objects.filter(question="preference").values("preferred").distinct().count() == 1


def test_a_round_of_mirrored_pairs_waits_for_the_repeats_and_is_answered_again_once(
    client, comparison, coordinator, algebraist, analyst
):
    campaign = opened(comparison, coordinator, mirrored_share=1.0)
    ExpertiseFactory(user=analyst)
    made = make_calibration(actor=coordinator, campaign=campaign, items=1)
    item = made.items.get().item
    for person in (algebraist, analyst):
        while not item.assignments.filter(reviewer=person).exists():
            taking.take_next(reviewer=person, campaign=campaign)
    for place in item.assignments.filter(repeat=False):
        submit(place.reviewer, place)
    with pytest.raises(Refused, match="2 answers and 2 waiting places"):
        reveal_calibration(actor=coordinator, campaign=campaign)
    for place in item.assignments.filter(repeat=True):
        submit(place.reviewer, place)
    reveal_calibration(actor=coordinator, campaign=campaign)
    first, repeat = item.assignments.filter(reviewer=algebraist).order_by("repeat")
    client.force_login(algebraist)
    for place, forms in ((first, 1), (repeat, 0)):
        shown = client.get(reverse("discussion", args=[place.handle])).content.decode()
        assert shown.count("Keep second answers") == forms
    with pytest.raises(Refused, match="answer again where you saw it first"):
        answer_again(reviewer=algebraist, assignment=repeat, content=content(), reason="Again.")
    answer_again(reviewer=algebraist, assignment=first, content=content(), reason="Again.")


def test_the_page_of_a_campaign_says_how_many_of_its_reviewers_places_are_repeats(
    client, comparison, coordinator, algebraist
):
    campaign = opened(comparison, coordinator, mirrored_share=1.0)
    taking.take_next(reviewer=algebraist, campaign=campaign)
    client.force_login(coordinator)
    page = client.get(reverse("campaign", args=[campaign.slug]))
    assert [row["held"] for row in page.context["reviewers"]] == [2]
    assert "These counts include 1 place on which a pair comes again" in page.content.decode()


def test_planned_hours_count_both_times_of_a_mirrored_pair_at_the_mean_of_grades_that_count(
    comparison, coordinator, algebraist, second_algebraist
):
    """60, 60 and 480 seconds add up to three times 200, not three times their median; a correction is no fourth."""
    campaign = opened(comparison, coordinator, systems=["aurora", "basalt"], mirrored_share=1.0)
    first, other = (taking.take_next(reviewer=algebraist, campaign=campaign) for _ in range(2))
    repeat = first.item.assignments.get(repeat=True)
    for place, value, seconds in ((first, "first", 60), (repeat, "first", 60), (other, "first", 480)):
        submit(algebraist, place, value, active_seconds=seconds)
    reopen_grade(reviewer=algebraist, assignment=other)
    submit(algebraist, other, "second", active_seconds=480)
    plan = assigning_actions.plan_assignment(campaign)
    assert len(plan.pairs) == 2
    assert plan_in_words(campaign, plan)["hours"] == pytest.approx(4 * 200 / 3600)


def test_repeats_take_no_place_and_go_with_the_place_that_is_given_up(comparison, coordinator, algebraist):
    campaign = opened(comparison, coordinator, mirrored_share=1.0)
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    assert Item.objects.get(pk=place.item_id).places_taken == 1
    assigning_actions.say_out_of_field(reviewer=algebraist, assignment=place)
    states = Assignment.objects.filter(item=place.item).values_list("state", flat=True)
    assert set(states) == {AssignmentState.RELEASED}
    assert Item.objects.get(pk=place.item_id).places_taken == 0


def test_a_study_with_mirrored_pairs_breaks_no_rule(comparison, coordinator, algebraist, capsys):
    hash_as_imported(*Run.objects.all())
    campaign = opened(comparison, coordinator, mirrored_share=1.0)
    taking.take_next(reviewer=algebraist, campaign=campaign)
    assert Assignment.objects.filter(repeat=True).exists()
    call_command("check_invariants")
    assert "rules hold" in capsys.readouterr().out


def test_the_shown_pair_is_two_documents_that_do_not_know_each_other(comparison, coordinator, algebraist):
    release = comparison.release
    release.runs.get(system__slug="aurora").outputs.update(text=GDEF, text_format="latex")
    release.runs.get(system__slug="basalt").outputs.update(text=PLAIN, text_format="latex")
    campaign = opened(comparison, coordinator, systems=["aurora", "basalt"])
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    by_text = {proof.anchored.text: document for proof, document in anchored_documents(material(place))}
    assert r"a \ge b" in by_text[GDEF].blocks[0].html
    assert r"a \le b" in by_text[PLAIN].blocks[0].html
    assert {name.split("-")[0] for name in anchors(material(place))[0]} == {"first", "second"}


def test_the_page_of_a_pair_tells_no_system(client, comparison, coordinator, algebraist):
    place = taking.take_next(reviewer=algebraist, campaign=opened(comparison, coordinator))
    client.force_login(algebraist)
    for address in (f"/grading/items/{place.handle}/", f"/api/v1/assignments/{place.handle}/", "/grading/"):
        page = client.get(address).content.decode().lower()
        assert not {"aurora", "basalt", "cobalt"} & {word.strip(".,") for word in page.split()}, address
        for name in ("aurora", "basalt", "cobalt"):
            assert name not in page


def test_a_conflict_with_either_system_keeps_the_pair_away(comparison, coordinator, algebraist):
    campaign = opened(comparison, coordinator)
    decided(algebraist, coordinator, ("system", "cobalt"))
    for _ in range(2):
        place = taking.take_next(reviewer=algebraist, campaign=campaign)
        assert "cobalt" not in place.item.stratum
    with pytest.raises(Refused, match="no items left"):
        taking.take_next(reviewer=algebraist, campaign=campaign)
    assert all(
        "cobalt" not in vacancy_of(plan_pair, campaign) for plan_pair in pairs_for(campaign, algebraist)
    )


def pairs_for(campaign, person):
    return [item for item, who in assigning_actions.plan_assignment(campaign).pairs if who == person.pk]


def vacancy_of(item, campaign):
    return campaign.items.get(pk=item).stratum


def refuses(change, words):
    with pytest.raises(IntegrityError, match=words), transaction.atomic():
        change()


def test_the_database_itself_refuses_strange_pairs(comparison, coordinator, algebraist):
    run = RunFactory(release=comparison.release, track="assisted")
    elsewhere = OutputFactory(run=run, instance=InstanceFactory(release=comparison.release))
    item = campaigns_pairs.draw_pairs(actor=coordinator, campaign=comparison)[0]

    def twin(**changes):
        fields = (
            "campaign",
            "output",
            "second",
            "instance",
            "domain",
            "stratum_size",
            "sample_size",
            "inclusion_probability",
        )
        Item.objects.create(**{name: getattr(item, name) for name in fields} | changes)

    refuses(twin, "item_pair_once_per_campaign|UNIQUE")
    refuses(lambda: twin(output=item.second, second=item.output), "has_an_order|CHECK")
    refuses(lambda: twin(second=item.output), "has_an_order|CHECK")
    refuses(lambda: twin(second=elsewhere), "of its instance")
    refuses(lambda: twin(second=None), "of its instance")
    other = CampaignFactory(release=comparison.release, slug="plain")
    refuses(lambda: twin(campaign=other), "of its instance")
    refuses(lambda: twin(campaign=other, second=None, mirrored=True), "has_an_order|CHECK")


def test_the_database_itself_keeps_sides(comparison, coordinator, algebraist):
    campaign = opened(comparison, coordinator)
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    rows = Assignment.objects.filter(pk=place.pk)
    refuses(lambda: rows.update(swapped=not place.swapped), "keeps its item")
    refuses(lambda: rows.update(swapped=None), "keeps its item")
    refuses(lambda: rows.update(repeat=True), "keeps its item")
    refuses(lambda: Item.objects.filter(pk=place.item_id).update(mirrored=True), "draw of an item is frozen")

    def again(**changes):
        Assignment.objects.create(item=place.item, reviewer=coordinator, handle="x", position=9, **changes)

    refuses(again, "a pair has sides")
    refuses(lambda: again(swapped=True, repeat=True), "a pair has sides")
    refuses(lambda: again(repeat=True), "a pair has sides|repeats_only_pairs|CHECK")


def test_the_database_itself_lets_only_a_side_be_preferred(comparison, coordinator, algebraist):
    place = taking.take_next(reviewer=algebraist, campaign=opened(comparison, coordinator))
    grade = submit(algebraist, place, "tie")
    refuses(
        lambda: Answer.objects.create(grade=grade, question="x", value="tie", preferred=place.item.output),
        "prefers_one_of_two|CHECK",
    )


def test_mirrored_pairs_are_drawn_by_seeded_lot():
    keys = [f"pair {number}" for number in range(40)]
    chosen = mirrored(keys, 0.25, 7)
    assert len(chosen) == 10
    assert chosen == mirrored(list(reversed(keys)), 0.25, 7)
    assert chosen != mirrored(keys, 0.25, 8)


def test_pairs_are_named_by_the_smaller_output():
    assert pairs({"b": {"p": 1, "q": 5}, "a": {"p": 3}}) == {(1, 3): ("a", "b")}


def test_rest_draws_pairs_once(client, comparison, coordinator):
    client.force_login(coordinator)
    asked = {"systems": ["aurora", "basalt"], "mirrored_share": 0.5}
    drawn = client.post("/api/v1/campaigns/which/draw-pairs/", asked, content_type="application/json")
    assert (drawn.status_code, drawn.json()["items"]) == (201, 2)
    reply = client.post("/api/v1/campaigns/which/draw-pairs/", {}, content_type="application/json")
    assert (reply.status_code, reply.json()["code"]) == (409, "already_drawn")


def exported(release):
    return [dict(row) for row in label_rows(release)]


def test_a_pair_is_exported_as_it_was_shown(comparison, coordinator, algebraist):
    campaign = opened(
        comparison, coordinator, systems=["aurora", "basalt"], per_stratum=1, mirrored_share=1.0
    )
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    repeat = Assignment.objects.get(reviewer=algebraist, repeat=True)
    for shown in (place, repeat):
        submit(algebraist, shown, "first")
    rows = [row for row in exported(comparison.release) if row["question"] == "preference"]
    key = place.item.instance.key
    assert {(row["subject"], row["system"], row["order"], row["value"]) for row in rows} == {
        (f"{key}/aurora|basalt/1", "aurora|basalt", "1", "first"),
        (f"{key}/aurora|basalt/1", "basalt|aurora", "2", "first"),
    }
    assert {row["rater"] for row in rows} == {algebraist.rater}
    assert algebraist.email not in str(rows)


def test_pairs_are_read_back_as_they_were(comparison, coordinator, algebraist, tmp_path):
    """Into a copy of the release under another name; then the two label tables agree but for release and campaign."""
    campaign = opened(comparison, coordinator, systems=["aurora", "basalt"], mirrored_share=0.5)
    for _ in range(2):
        taking.take_next(reviewer=algebraist, campaign=campaign)
    for number, place in enumerate(Assignment.objects.filter(reviewer=algebraist).order_by("position")):
        submit(algebraist, place, ["first", "tie", "second"][number])
    rows = exported(comparison.release)
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps({**row, "campaign": "again"}) + "\n" for row in rows))
    report = import_labels(actor=coordinator, path=path, release=comparison.release)
    assert report.new_grades == 3
    again = [row for row in exported(comparison.release) if row["campaign"] == "again"]
    # an imported grade has no idle seconds to tell apart, and its number of places is what was filled
    assert [{**row, "campaign": "which"} for row in again] == rows
    named = {
        slug: Counter(
            Answer.objects.filter(
                question="preference", grade__assignment__item__campaign__slug=slug
            ).values_list("preferred", flat=True)
        )
        for slug in ("which", "again")
    }
    assert named["which"] == named["again"]
    assert import_labels(actor=coordinator, path=path, release=comparison.release).new_grades == 0
    assert not list(grades_keep_what_was_shown())


def test_comments_on_pairs_keep_their_answer_whichever_side_it_was_on(
    comparison, coordinator, algebraist, tmp_path, monkeypatch
):
    """Into another campaign and out again: the same rows, and each comment on the text that it was on."""
    sides = itertools.cycle((False, False, True, True))
    monkeypatch.setattr("annotation.assigning.actions.next_side", lambda *_, **__: next(sides))
    Output.objects.filter(run__system__slug="cobalt").update(text="An argument that begins otherwise.")
    campaign = opened(comparison, coordinator)
    for number in range(6):
        place = taking.take_next(reviewer=algebraist, campaign=campaign)
        side = ("first", "second")[number % 2]
        comment = {
            "block": f"{side}-b1",
            "start": 0,
            "end": 11,
            "severity": "minor",
            "text": f"Remark {number}.",
        }
        submit_grade(
            reviewer=algebraist,
            assignment=place,
            content=content(anchored=[comment]),
            idempotency_key=place.handle,
            rubric_sha256=campaign.rubric.sha256,
        )
    rows = list(comment_rows(comparison.release, identities=True))
    named = {
        row["subject"]: row["subject"].split("/")[1].split("|")[row["block"].startswith("second")]
        for row in rows
    }
    assert {(row["quote"], named[row["subject"]] == "cobalt") for row in rows} <= {
        ("Argument 97", False), ("Argument 98", False), ("An argument", True),
    }  # fmt: skip
    tables = {"labels": exported(comparison.release), "comments": rows}
    for name, found in tables.items():
        lines = (json.dumps({**row, "campaign": "again"}) for row in found)
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    files = {"path": tmp_path / "labels.jsonl", "comments": tmp_path / "comments.jsonl"}
    report = import_labels(actor=coordinator, release=comparison.release, **files)
    assert (report.new_comments, sum(one.lost for one in report.comments)) == (6, 0)
    again = list(comment_rows(comparison.release, campaign="again", identities=True))
    assert [{**row, "campaign": "which"} for row in again] == rows
    assert not import_labels(actor=coordinator, release=comparison.release, **files).changed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"order": ""}, "order: a pair was shown in order 1 or 2"),
        ({"subject": "a1/aurora|gone/1"}, "has no output 'a1/gone/1'"),
        ({"subject": "a1/aurora|aurora/1"}, "does not name one system or two"),
        ({"subject": "a1/aurora|basalt|cobalt/1"}, "does not name one system or two"),
    ],
)
def test_a_strange_pair_is_refused_with_line_and_field(comparison, coordinator, tmp_path, change, words):
    row = {
        "question": "preference", "subject": "a1/aurora|basalt/1", "order": "1", "rater": "x",
        "rater_kind": "expert", "value": "first", "state": "answered",
    }  # fmt: skip
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(row | change) + "\n")
    with pytest.raises(Refused, match="line 1") as refusal:
        import_labels(actor=coordinator, path=path, release=comparison.release)
    assert words in str(refusal.value)


def test_exported_pairs_are_what_analyse_reads(comparison, coordinator, algebraist, tmp_path, capsys):
    campaign = opened(comparison, coordinator, mirrored_share=0.5)
    for _ in range(6):
        taking.take_next(reviewer=algebraist, campaign=campaign)
    for place in Assignment.objects.filter(reviewer=algebraist):
        first = shown_first(place)[0].run.system.slug
        second = shown_first(place)[1].run.system.slug
        submit(
            algebraist, place, "first" if first < second else "second"
        )  # aurora before basalt before cobalt
    path = tmp_path / "labels.jsonl"
    wanted = [row for row in exported(comparison.release) if row["question"] == "preference"]
    path.write_text("".join(json.dumps(row) + "\n" for row in wanted))
    call_command("analyse", "pairs", str(path), "--json")
    systems = {row["system"]: row for row in json.loads(capsys.readouterr().out)["systems"]}
    # each system meets each other one on two problems; a mirrored pair counts once
    assert {name: (row["wins"], row["losses"], row["ties"]) for name, row in systems.items()} == {
        "aurora": (4, 0, 0),
        "basalt": (2, 2, 0),
        "cobalt": (0, 4, 0),
    }


def test_two_who_prefer_the_same_output_from_opposite_sides_agree(comparison, coordinator, algebraist):
    other = member("bea@study.test", "Bea", "reviewer", "algebra")
    campaign = opened(comparison, coordinator)
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    opposite = taking.take_next(reviewer=other, campaign=campaign)
    while opposite.item_id != place.item_id:
        opposite = taking.take_next(reviewer=other, campaign=campaign)
    assert place.swapped is not opposite.swapped
    submit(algebraist, place, "first")
    submit(other, opposite, "second")
    states = {row.item.pk: row.state for row in queue(campaign)}
    assert states[place.item_id] is State.AGREED


def test_agreement_about_pairs_counts_what_was_preferred_and_each_pair_once(
    comparison, coordinator, algebraist
):
    other = member("bea@study.test", "Bea", "reviewer", "algebra")
    campaign = opened(comparison, coordinator, systems=["aurora", "basalt"], mirrored_share=1.0)
    for person in (algebraist, other):
        for _ in range(2):
            taking.take_next(reviewer=person, campaign=campaign)
        for place in Assignment.objects.filter(reviewer=person):
            aurora_first = shown_first(place)[0].run.system.slug == "aurora"
            submit(person, place, "first" if aurora_first else "second")
    labels = [label for label in campaign_data(campaign).labels if label.question == "preference"]
    assert len(labels) == 4  # two pairs, two reviewers; the mirrored repeats are not labels of their own
    # everybody prefers aurora, whichever side it was on: one value for each pair
    assert all(
        len({label.value for label in labels if label.item == item.pk}) == 1 for item in campaign.items.all()
    )


def test_a_printed_pair_turns_preferences_and_no_words(comparison, coordinator, algebraist):
    campaign = opened(comparison, coordinator, systems=["aurora", "basalt"], mirrored_share=1.0)
    taking.take_next(reviewer=algebraist, campaign=campaign)
    for place in Assignment.objects.filter(reviewer=algebraist):  # the pair and its mirror image
        submit_grade(
            reviewer=algebraist,
            assignment=place,
            content={"answers": {"preference": "first", "sureness": "1", "reason": "first-order logic"}},
            idempotency_key=place.handle,
            rubric_sha256=campaign.rubric.sha256,
        )
    campaign = campaigns_actions.close_campaign(actor=coordinator, campaign=campaign, reason="enough")
    (items,) = printed_items([campaign], Viewer.STAFF, identities=False)
    answers = {answer.question: answer.values for item in items for answer in item.answers if item.graders}
    assert sorted(answers["Which of the two proofs is better?"]) == ["first", "second"]
    assert set(answers["Why?"]) == {"first-order logic"}


@pytest.mark.parametrize("identities", [False, True])
def test_who_saw_a_printed_pair_twice_is_one_grader_with_both_answers(
    comparison, coordinator, algebraist, identities
):
    campaign = opened(comparison, coordinator, mirrored_share=1.0)
    item = taking.take_next(reviewer=algebraist, campaign=campaign).item
    for place, value in zip(item.assignments.order_by("repeat"), ("first", "second"), strict=True):
        submit(algebraist, place, value)  # the same proof, which has the other side of the repeat
    batches = printed_items([campaign], Viewer.STAFF, identities=identities)
    (printed,) = [row for batch in batches for row in batch if row.graders]
    called = algebraist.rater if identities else "Grader 1"
    assert printed.graders == (called, f"{called}, again")
    (preferred,) = [row.values for row in printed.answers if row.question.startswith("Which")]
    assert preferred[0] == preferred[1]


@pytest.mark.parametrize("side", ["output", "second"])
def test_neither_text_of_a_drawn_pair_is_redacted_or_shown_again(comparison, coordinator, side):
    release = comparison.release
    Output.objects.filter(run__system__slug="aurora").update(text=r"As \textbf{G}PT-5, I reduce it.")
    Output.objects.filter(run__system__slug="cobalt").update(text=r"As \textbf{G}PT-5, I reduce it.")
    scan_identities(release=release)
    redact_release(actor=coordinator, release=release, seconds=60)
    opened(comparison, coordinator, systems=["aurora", "cobalt"])
    output = getattr(comparison.items.first(), side)
    with pytest.raises(Refused) as refusal:
        withdraw_decision(actor=coordinator, output=output)
    assert refusal.value.code == "drawn"
    assert all(row.drawn for row in with_findings(release).filter(pk=output.pk))
    redaction = RedactedOutput.objects.get(output=output)
    with pytest.raises(IntegrityError, match="drawn into a campaign"), transaction.atomic():
        redaction.delete()
    with pytest.raises(IntegrityError, match="drawn into a campaign"), transaction.atomic():
        RedactedOutput.objects.create(output=output, decision=redaction.decision, payload={}, text="")
    IdentityDecision.objects.update(withdrawn_at=timezone.now())
    with pytest.raises(Refused) as refusal:
        decide_identity(actor=coordinator, output=output, verdict="excluded", reason="It tells.")
    assert refusal.value.code == "drawn"
