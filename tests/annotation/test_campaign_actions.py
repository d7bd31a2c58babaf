from datetime import date

import pytest

from accounts.models import AuditEvent
from accounts.refusal import NotAllowed, Refused
from annotation.campaigns.actions import close_campaign, create_campaign, draw_items, open_campaign
from annotation.models import Campaign, Item
from benchmark.describing.actions import describe_release
from benchmark.models import Output, ReleaseDescription, Run
from benchmark.protocols import get_protocol
from tests.factories import CampaignFactory, OutputFactory, ReleaseFactory

pytestmark = pytest.mark.django_db


def rubric_label() -> str:
    return next(rubric.label for rubric in get_protocol("proofs").rubrics if rubric.kind == "grade")


def verbs() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))


def test_a_coordinator_creates_a_campaign_with_the_rubric_as_it_stands(coordinator):
    campaign = create_campaign(
        actor=coordinator,
        name="Spring round",
        release=ReleaseFactory(),
        rubric=rubric_label(),
        due_on=date(2090, 12, 1),
    )
    assert (campaign.slug, campaign.phase, campaign.kind) == ("spring-round", "draft", "grade")
    assert campaign.rubric.sha256 == get_protocol("proofs").rubric(rubric_label()).sha256
    assert verbs() == ["create_campaign"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": "Taken"}, "already a campaign 'taken'"),
        ({"name": "!!!"}, "already a campaign ''"),
        ({"rubric": "nothing-v9"}, "no rubric 'nothing-v9'"),
        ({"reviewers_per_item": 0}, "between 1 and 25"),
    ],
)
def test_a_campaign_outside_the_rules_is_refused_with_the_reason(coordinator, fields, reason):
    CampaignFactory(slug="taken", rubric__version=99)  # not the real one, which is asked for below
    terms = {"name": "Fine", "rubric": rubric_label()} | fields
    with pytest.raises(Refused, match=reason):
        create_campaign(actor=coordinator, release=ReleaseFactory(), **terms)
    assert verbs() == []


def test_a_rubric_that_changed_under_its_version_is_refused(coordinator):
    terms = {"actor": coordinator, "release": ReleaseFactory(), "rubric": rubric_label()}
    campaign = create_campaign(name="One", **terms)
    forged = campaign.rubric
    forged.pk, forged.name, forged.version = None, "forged", 1
    forged.save()
    protocol = get_protocol("proofs")
    altered = type(protocol.rubrics[0])(**{**vars(protocol.rubrics[0]), "name": "forged", "title": "Other"})
    object.__setattr__(protocol, "rubrics", (*protocol.rubrics, altered))
    try:
        with pytest.raises(Refused, match="give the rubric a new version"):
            create_campaign(name="Two", **{**terms, "rubric": altered.label})
    finally:
        object.__setattr__(protocol, "rubrics", protocol.rubrics[:-1])


@pytest.mark.parametrize("person", ["algebraist", "stranger"])
def test_only_staff_of_the_study_run_campaigns(person, drafted, request):
    actor = request.getfixturevalue(person)
    for action in (draw_items, open_campaign, close_campaign):
        with pytest.raises(NotAllowed):
            action(actor=actor, campaign=drafted)


def test_a_whole_draw_takes_every_answered_output_with_probability_one(drafted, coordinator):
    items = draw_items(actor=coordinator, campaign=drafted)
    assert len(items) == 6
    assert {(i.stratum, i.stratum_size, i.sample_size, i.inclusion_probability) for i in items} == {
        ("algebra", 4, 4, 1.0),
        ("analysis", 2, 2, 1.0),
    }
    assert {item.places for item in items} == {2}


def test_a_sample_draw_freezes_sizes_and_probabilities_by_domain(drafted, coordinator):
    items = draw_items(actor=coordinator, campaign=drafted, per_stratum=1)
    # one of 4 in algebra, one of 2 in analysis
    assert {item.stratum: item.inclusion_probability for item in items} == {"algebra": 0.25, "analysis": 0.5}


def test_abstentions_and_failures_are_never_drawn(drafted, coordinator):
    run = Run.objects.first()
    instance = run.outputs.first().instance
    OutputFactory(run=run, instance=instance, attempt=2, state="abstained", text="")
    OutputFactory(run=run, instance=instance, attempt=3, state="failed", text="timeout")
    draw_items(actor=coordinator, campaign=drafted)
    assert set(Item.objects.values_list("output__state", flat=True)) == {"answered"}


def test_an_audit_draws_from_the_strata_it_is_given(drafted, coordinator):
    pks = list(Output.objects.values_list("pk", flat=True))
    strata = {pk: "accepted" if n < 4 else "rejected" for n, pk in enumerate(pks)}
    items = draw_items(
        actor=coordinator, campaign=drafted, strata=strata, sizes={"accepted": 2, "rejected": 1}
    )
    assert sorted((i.stratum, i.stratum_size, i.sample_size) for i in items) == [
        ("accepted", 4, 2),
        ("accepted", 4, 2),
        ("rejected", 2, 1),
    ]
    assert all(strata[item.output_id] == item.stratum for item in items)


def test_strata_that_name_a_foreign_output_are_refused(drafted, coordinator):
    foreign = OutputFactory()
    strata = {Output.objects.first().pk: "a", foreign.pk: "a"}
    with pytest.raises(Refused, match="1 output of the plan is"):
        draw_items(actor=coordinator, campaign=drafted, strata=strata)


def test_the_draw_freezes_the_runs_it_took_from(drafted, coordinator):
    draw_items(actor=coordinator, campaign=drafted)
    assert not Run.objects.filter(frozen_at=None).exists()


def test_the_same_seed_draws_the_same_outputs(drafted, coordinator):
    other = CampaignFactory(release=drafted.release, rubric=drafted.rubric, seed=drafted.seed)
    drawn = [
        {item.output_id for item in draw_items(actor=coordinator, campaign=c, per_stratum=1)}
        for c in (drafted, other)
    ]
    assert drawn[0] == drawn[1]


def test_items_are_drawn_once(opened, coordinator):
    Campaign.objects.get(pk=opened.pk)
    with pytest.raises(Refused, match="must be draft"):
        draw_items(actor=coordinator, campaign=opened)


def test_a_second_draw_is_refused(drafted, coordinator):
    draw_items(actor=coordinator, campaign=drafted)
    with pytest.raises(Refused, match="already drawn"):
        draw_items(actor=coordinator, campaign=drafted)
    assert drafted.items.count() == 6


def test_a_bad_sample_size_is_refused_and_nothing_is_frozen(drafted, coordinator):
    with pytest.raises(Refused, match="5 cannot be drawn"):
        draw_items(actor=coordinator, campaign=drafted, sizes={"algebra": 5, "analysis": 1})
    assert Run.objects.filter(frozen_at=None).count() == 2
    assert verbs() == []


@pytest.mark.parametrize(
    ("wanted", "refused"),
    [({"sizes": {}}, "o sample size is given"), ({"sizes": {"algebra": 1}, "per_stratum": 1}, "not both")],
)
def test_sizes_that_say_nothing_or_two_things_draw_nothing(drafted, coordinator, wanted, refused):
    """No sizes at all drew everything, and sizes won over a number for all strata."""
    with pytest.raises(Refused, match=refused):
        draw_items(actor=coordinator, campaign=drafted, **wanted)
    assert not drafted.items.exists()


def test_a_release_without_answers_has_nothing_to_draw(coordinator, rubric):
    with pytest.raises(Refused, match="no answered outputs"):
        draw_items(actor=coordinator, campaign=CampaignFactory(rubric=rubric))


def test_a_campaign_without_items_does_not_open(drafted, coordinator):
    with pytest.raises(Refused, match="Draw the items"):
        open_campaign(actor=coordinator, campaign=drafted)


def test_a_campaign_over_answers_that_anybody_can_look_up_opens_only_when_that_is_known(drafted, coordinator):
    describe_release(
        actor=None, release=drafted.release, licence="MIT", creators="A", published_on=date(2026, 1, 1)
    )
    address = "https://study.test/records/proofs/1/"
    ReleaseDescription.objects.filter(release=drafted.release).update(answers_public_at=address)
    draw_items(actor=coordinator, campaign=drafted)
    with pytest.raises(Refused, match=f"at {address}. Reviewers could look up") as refusal:
        open_campaign(actor=coordinator, campaign=drafted)
    assert (refusal.value.code, refusal.value.field) == ("answers_public", "answers_are_public")
    assert Campaign.objects.get().phase == "draft"
    open_campaign(actor=coordinator, campaign=drafted, answers_are_public=True)
    assert AuditEvent.objects.get(verb="open_campaign").details == {"answers_public_at": address}


def test_closing_with_unfinished_places_needs_a_reason_and_keeps_it(opened, coordinator):
    with pytest.raises(Refused, match="12 of 12 places are unfinished"):
        close_campaign(actor=coordinator, campaign=opened)
    closed = close_campaign(actor=coordinator, campaign=opened, reason="The term is over.")
    assert closed.phase == "closed"
    event = AuditEvent.objects.get(verb="close_campaign")
    assert (event.reason, event.details) == ("The term is over.", {"places": 12, "submitted": 0})
    with pytest.raises(Refused, match="campaign is closed"):
        open_campaign(actor=coordinator, campaign=closed)
