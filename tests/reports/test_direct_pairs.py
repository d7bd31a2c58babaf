"""Systems two at a time as experts chose between their outputs: counted by hand, and through a whole campaign."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.refusal import Refused
from annotation.assigning import taking
from annotation.campaigns import actions as campaigns_actions
from annotation.campaigns import pairs
from annotation.campaigns.actions import keep_rubric
from annotation.core.material import shown_first
from annotation.models import Assignment
from reports.comparison.direct_pairs import direct_kinds
from reports.comparison.pair_sources import PairSources
from reports.labels.importing import import_labels
from reports.scores.inputs import collect
from tests.annotation.grading import submit_grade
from tests.documents import score_document
from tests.factories import CampaignFactory, InstanceFactory, OutputFactory, ReleaseFactory, RunFactory
from tests.reports.conftest import queries

pytestmark = pytest.mark.django_db
KEY = "which:preference"
HEAD = "release,campaign,question,subject,order,rater,rater_kind,value,state,rubric_version"

# Ann saw aurora first (order 1), Bob basalt first; Ann saw problems 1 and 2 again with the sides exchanged.
# Ann: aurora, aurora, aurora, aurora, basalt, tie; again: aurora (alike), basalt (the first shown won twice).
# Bob: aurora, aurora, aurora, basalt, basalt, both bad.
CHOICES = [
    *(("ann", 1, n, value) for n, value in enumerate(["first"] * 4 + ["second", "tie"], start=1)),
    ("ann", 2, 1, "second"),
    ("ann", 2, 2, "first"),
    *(("bob", 2, n, value) for n, value in enumerate(["second"] * 3 + ["first"] * 2 + ["both_bad"], start=1)),
]


def line_of(choice):
    rater, order, problem, value = choice
    return (
        f"sample-proofs,which,preference,sample-proof-0{problem}/aurora|basalt/1,{order},{rater},expert,"
        f"{value},answered,proofs-pairs-v1"
    )


@pytest.fixture
def chosen(proofs, tmp_path):
    file = tmp_path / "choices.csv"
    file.write_text("\n".join([HEAD, *map(line_of, CHOICES)]) + "\n")
    import_labels(actor=None, path=file, release=proofs)
    return proofs


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def direct(release):
    return PairSources.of(release, collect(release=release)).document(KEY)


@pytest.mark.slow
def test_a_mirrored_repeat_is_the_second_order_of_one_judgment(chosen):
    found = direct(chosen)
    assert found["source"] == "direct"
    # Ann's second problem changed with the order: a tie. Aurora wins 3 of Ann's and 3 of Bob's six.
    assert found["pairs"] == [{"first": "aurora", "second": "basalt", "wins": 6, "losses": 3, "ties": 3}]
    assert (found["comparisons"], found["presentations"], found["order_flips"]) == (12, 14, 1)
    aurora = found["systems"][0]
    assert aurora["half_tie_rate"]["value"] == pytest.approx((6 + 1.5) / 12)
    assert found["both_bad"] == 1


def test_position_bias_counts_every_presentation(chosen):
    bias = direct(chosen)["position_bias"]
    # Decided presentations that the first shown won: Ann 4 of 5, Bob 2 of 5, repeats 1 of 2.
    assert (bias["first_slot_share"]["k"], bias["first_slot_share"]["n"]) == (7, 12)
    assert (bias["swapped_pairs"], bias["swap_consistency"]["value"]) == (2, 0.5)
    assert (bias["first_first"], bias["second_second"]) == (1, 0)
    assert direct(chosen)["order_effect"]["value"] is not None


def test_choices_on_one_problem_are_resampled_together(chosen):
    strength = direct(chosen)["systems"][0]["strength"]
    assert strength["clusters"] == 6
    assert strength["method"].endswith("cluster jackknife"), "below 20 clusters"


def test_direct_choices_come_before_what_grades_imply(chosen):
    sources = PairSources.of(chosen, collect(release=chosen))
    assert next(iter(sources.titles)) == KEY
    assert sources.document()["grades"]["key"] == KEY
    assert sources.document("sample-proofs:logic")["source"] == "implied"
    with pytest.raises(Refused, match=f"{KEY}, sample-proofs:correctness"):
        sources.document("x:y")


def test_choices_between_two_outputs_never_enter_the_score_of_one(proofs, request):
    before = score_document(collect(release=proofs))
    request.getfixturevalue("chosen")
    assert score_document(collect(release=proofs)) == before


def test_the_exported_choices_give_the_same_figures(chosen, tmp_path, capsys):
    call_command("export_labels", release="sample-proofs", campaign="which")
    file = tmp_path / "out.csv"
    file.write_text(capsys.readouterr().out)
    call_command("analyse", "pairs", str(file), question="preference", json=True)
    exported, ours = json.loads(capsys.readouterr().out), direct(chosen)
    assert {key: ours[key] for key in exported} == exported


@pytest.mark.slow
def test_page_csv_and_rest_say_the_same(carl, chosen):
    replied = carl.get("/api/v1/releases/sample-proofs/pairs/", {"grades": KEY}).json()
    assert replied == json.loads(json.dumps(direct(chosen)))
    reply = carl.get(reverse("pairs-csv", args=["sample-proofs"]), {"grades": KEY})
    table = list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))
    assert [(row["system"], row["against"], row["wins"]) for row in table] == [
        ("aurora", "", "6"),
        ("basalt", "", "3"),
        ("aurora", "basalt", "6"),
    ]
    page = carl.get(reverse("pairs", args=["sample-proofs"]))
    text = page.content.decode()
    assert page.context["systems"][0]["wins"] == 6
    assert page.context["position"]["first_slot"].counts == "7/12"
    assert [row["system"] for row in page.context["beside"]["tables"][0]["rows"]] == [
        "aurora",
        "basalt",
        "cobalt",
    ]
    assert "not compared" in text  # nobody was shown cobalt
    linked = {part.split('"')[0] for part in text.split('href="#def-')[1:]}
    assert all(f'id="def-{key}"' in text for key in linked)


@pytest.mark.slow
def test_the_number_of_queries_does_not_depend_on_the_number_of_choices(carl, chosen):
    address = reverse("pairs", args=["sample-proofs"])
    assert queries(carl, f"{address}?grades={KEY}") <= 20


def test_an_open_campaign_shows_nothing_and_a_closed_one_who_was_preferred(coordinator, algebraist):
    release = ReleaseFactory(name="pairs")
    problem = InstanceFactory(release=release, key="a1", domain="algebra")
    for slug in ("linnet", "martin"):
        OutputFactory(run=RunFactory(release=release, system__slug=slug), instance=problem)
    campaign = CampaignFactory(
        slug="which",
        release=release,
        rubric=keep_rubric("proofs", "proofs-pairs-v1"),
        kind="compare",
        reviewers_per_item=1,
        created_by=coordinator,
    )
    pairs.draw_pairs(actor=coordinator, campaign=campaign)
    campaign = campaigns_actions.open_campaign(actor=coordinator, campaign=campaign)
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    place = Assignment.objects.get(pk=place.pk)
    linnet_first = shown_first(place)[0].run.system.slug == "linnet"
    submit_grade(
        reviewer=algebraist,
        assignment=place,
        content={"answers": {"preference": "first" if linnet_first else "second", "sureness": "1"}},
        idempotency_key="once",
        rubric_sha256=campaign.rubric.sha256,
    )
    assert direct_kinds(release, "raw") == {}
    campaigns_actions.close_campaign(actor=coordinator, campaign=campaign)
    assert list(direct_kinds(release, "raw")) == [KEY]
    found = direct(release)
    assert found["pairs"] == [{"first": "linnet", "second": "martin", "wins": 1, "losses": 0, "ties": 0}]
    assert found["systems"][0]["strength"]["reason"] == "SEPARATION"


@pytest.mark.slow
def test_groups_that_were_never_compared_are_named_where_their_ranks_are_shown(carl, chosen, tmp_path):
    release = chosen
    for slug in ("garnet", "jasper"):
        run = RunFactory(release=release, system__slug=slug)
        OutputFactory(run=run, instance=release.instances.get(key="sample-proof-01"))
    lines = [
        f"sample-proofs,other,preference,sample-proof-01/garnet|jasper/1,1,{rater},expert,{value},answered,proofs-pairs-v1"
        for rater, value in (("ann", "first"), ("bob", "second"))
    ]
    lines += [line.replace("garnet|jasper", "aurora|basalt") for line in lines]
    file = tmp_path / "other.csv"
    file.write_text("\n".join([HEAD, *lines]) + "\n")
    import_labels(actor=None, path=file, release=release)
    page = carl.get(reverse("pairs", args=["sample-proofs"]), {"grades": "other:preference"})
    assert "strengths and ranks are within a group: aurora, basalt; garnet, jasper." in page.content.decode()
