"""Campaigns from draft to closed: create, draw, open, close."""

from collections.abc import Mapping, Sequence
from datetime import date

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.campaigns import sampling
from annotation.campaigns.frames import answered_outputs, frame_of_instances, frame_of_outputs, hold_runs
from annotation.campaigns.naming import objection_to
from annotation.conflicts import resolving as conflicts
from annotation.core import phases
from annotation.core.phases import Phase, Verb
from annotation.models import (
    DEFAULT_LEAST,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignKind,
    Item,
    LeastAuthors,
    ProblemRule,
    Rubric,
)
from annotation.quarantine.actions import eligible
from annotation.rubrics.available import rubric_called
from benchmark.models import Output, Release, ReleaseDescription, Run
from benchmark.releases.freezing import freeze_release, freeze_run
from benchmark.rendering.stored import call_worker
from benchmark.rubrics import RubricError


def require_staff(actor: User) -> None:
    """Raise NotAllowed unless `actor` runs studies."""
    if not is_study_staff(actor):
        raise NotAllowed("Only coordinators and owners can run campaigns.")


def locked(campaign: Campaign) -> Campaign:
    """The campaign's row, held until the transaction ends. Those who store something that only names the campaign do
    not wait, so that nobody who holds a place already waits here for one who waits for that place."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


@transaction.atomic
def create_campaign(
    *,
    actor: User,
    name: str,
    release: Release,
    rubric: str,
    reviewers_per_item: int = 3,
    track: str = "raw",
    condition: str | None = None,
    seed: int = 1,
    slug: str = "",
    instructions: str = "",
    due_on: date | None = None,
    problem_rule: str = ProblemRule.FREE,
    most_per_reviewer: int | None = None,
    least_authors: int = DEFAULT_LEAST,
    with_search: bool = False,
) -> Campaign:
    """A campaign in draft. `rubric` is a label such as "proofs-v1" of the release's protocol.

    The rubric's kind is the campaign's kind; a construction audit has no track. `condition` is that of the runs to draw
    from, "usual" the usual one; left out, all are meant (of pairs, the usual one). For `least_authors` see
    set_least_authors. Raises Refused for a taken slug, an unknown rubric, one whose content changed under the
    same version, a number of reviewers outside 1 to 25, or a field that is too long or malformed.
    """
    require_staff(actor)
    slug = slug or slugify(name)[:100]
    if slug and (objection := objection_to(slug)):
        raise Refused(f"{objection}.", field="name")
    if not slug or Campaign.objects.filter(slug=slug).exists():
        raise Refused(f"There is already a campaign {slug!r}; choose another name.", field="name")
    kept = keep_rubric(release.benchmark.protocol, rubric)
    campaign = Campaign(
        slug=slug,
        name=name,
        release=release,
        rubric=kept,
        kind=kept.content["kind"],
        track="" if kept.content["kind"] == CampaignKind.CONSTRUCTION else track,
        condition=None if kept.content["kind"] == CampaignKind.CONSTRUCTION else condition or None,
        reviewers_per_item=reviewers_per_item,
        instructions=instructions,
        seed=seed,
        due_on=due_on,
        problem_rule=problem_rule,
        most_per_reviewer=most_per_reviewer,
        with_search=with_search,
        created_by=actor,
    )
    require_sound_terms(campaign)
    require_day_to_come(due_on)
    campaign.save(force_insert=True)
    record(actor=actor, verb="create_campaign", target=campaign, details={"slug": slug, "rubric": kept.label})
    set_least_authors(actor=actor, campaign=campaign, least=least_authors)
    return campaign


@transaction.atomic
def set_least_authors(*, actor: User, campaign: Campaign, least: int) -> None:
    """Set how many systems must be possible authors of any item that a reviewer of the campaign gets, from 1 to 100.

    Raises Refused once the campaign has opened or any place has been given.
    """
    require_staff(actor)
    campaign = locked(campaign)
    before = conflicts.least_authors(campaign)
    if least == before:
        return
    if not 1 <= least <= 100:
        raise Refused("Between 1 and 100 systems.", field="least_authors")
    if campaign.phase != Phase.DRAFT or Assignment.objects.filter(item__campaign=campaign).exists():
        raise Refused(
            "This can no longer change: reviewers have places.", code="wrong_phase", field="least_authors"
        )
    given = {"least": least, "set_by": actor, "set_at": timezone.now()}
    LeastAuthors.objects.update_or_create(campaign=campaign, defaults=given)
    record(actor=actor, verb="set_least_authors", target=campaign, details={"before": before, "least": least})


def require_day_to_come(due_on: date | None) -> None:
    """Raise Refused for a day that is over: everybody would be late at once."""
    if due_on is not None and due_on < timezone.now().date():
        raise Refused("This day is over. Choose today or a later day.", code="over", field="due_on")


def require_sound_terms(campaign: Campaign) -> None:
    """Raise Refused, naming the field, for a number out of range or a field that is too long or malformed."""
    if not 1 <= campaign.reviewers_per_item <= 25:
        raise Refused("An item needs between 1 and 25 reviewers.", field="reviewers_per_item")
    if campaign.most_per_reviewer is not None and campaign.most_per_reviewer < 1:
        raise Refused("A reviewer must be allowed at least one item.", field="most_per_reviewer")
    if not campaign.track.strip() and campaign.kind != CampaignKind.CONSTRUCTION:
        raise Refused("A campaign needs a track.", field="track")
    try:
        campaign.clean_fields()
    except ValidationError as error:
        field, reasons = next(iter(error.message_dict.items()))
        raise Refused(reasons[0], field=field) from error


def keep_rubric(protocol: str, label: str) -> Rubric:
    """The stored copy of a protocol's rubric version, made on first use."""
    try:
        rubric = rubric_called(protocol, label)
    except (KeyError, RubricError) as error:
        raise Refused(str(error), field="rubric") from error
    if rubric.kind not in CampaignKind.values:
        raise Refused(f"{label} is for {rubric.kind} work, which has no campaign yet.", field="rubric")
    kept, _ = Rubric.objects.get_or_create(
        protocol=protocol,
        name=rubric.name,
        version=rubric.version,
        defaults={"content": rubric.content, "sha256": rubric.sha256},
    )
    if kept.sha256 != rubric.sha256:
        raise Refused(
            f"{label} was changed after it was used; give the rubric a new version.", field="rubric"
        )
    return kept


@transaction.atomic
def draw_items(
    *,
    actor: User,
    campaign: Campaign,
    strata: Mapping[int, str] | None = None,
    sizes: Mapping[str, int] | None = None,
    per_stratum: int | None = None,
    leave_out_undecided: bool = False,
    frame: Mapping[str, Sequence[str]] | None = None,
) -> list[Item]:
    """Draw the campaign's items once; the runs they come from are frozen with the draw.

    `strata` maps output ids to strata and defaults to the domain of every answered output of the campaign's runs (an
    audit passes the judge's buckets); a construction audit draws from all instances of the release, by domain, and
    freezes the release. `sizes` gives n_h by stratum; without it, `per_stratum` of each are drawn, or all. Outputs
    excluded because they reveal their author are never drawn. `frame` is what an audit keeps of it: the slugs of the
    `systems` that were there, also if nothing of theirs can be drawn any more, and of the campaigns that it
    `leaves_out`.

    Raises Refused when a draw exists, when there is nothing to draw from, when an output is not an answered one of
    these runs, or (code "quarantined") when outputs are waiting for a decision about what reveals their author,
    unless `leave_out_undecided`.
    """
    require_staff(actor)
    if sizes is not None and per_stratum is not None:
        raise Refused("Give sizes or per_stratum, not both.", code="bad_sample", field="per_stratum")
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.DRAW)
    if campaign.kind == CampaignKind.COMPARE:
        raise Refused("A campaign of comparisons draws pairs.", code="wrong_kind")
    if campaign.items.exists():
        raise Refused("The items of this campaign are already drawn.", code="already_drawn")
    if campaign.kind == CampaignKind.CONSTRUCTION:
        units = frame_of_instances(campaign)
    else:
        hold_runs(campaign)
        answered = answered_outputs(campaign, strata)
        outputs = eligible(campaign.release, answered, leave_out_undecided=leave_out_undecided)
        units = frame_of_outputs(outputs, strata)
    named = {key: unit.stratum for key, unit in units.items()}
    try:
        wanted = sampling.equal_sizes(sampling.stratum_sizes(named), per_stratum) if sizes is None else sizes
        drawn = sampling.draw(named, wanted, campaign.seed)
    except ValueError as error:
        raise Refused(f"{str(error).capitalize()}.", code="bad_sample") from error
    if campaign.kind == CampaignKind.CONSTRUCTION:
        freeze_release(actor=actor, release=campaign.release)
    chosen = [(units[one.key], one) for one in drawn]
    freeze_runs(actor, [unit.output for unit, _ in chosen if unit.output])
    if campaign.kind == CampaignKind.AUDIT:
        there = sorted({output.run.system.slug for output in answered.values()})
        campaign.frame = frame or {"systems": there, "leaves_out": []}
        campaign.save(update_fields=["frame"])
    items = Item.objects.bulk_create(
        Item(
            campaign=campaign,
            output=unit.output,
            instance=unit.instance,
            domain=unit.instance.domain,
            stratum=one.stratum,
            stratum_size=one.stratum_size,
            sample_size=one.sample_size,
            inclusion_probability=one.inclusion_probability,
            places=campaign.reviewers_per_item,
        )
        for unit, one in chosen
    )
    details = {"seed": campaign.seed, "sizes": dict(wanted), "strata": sampling.stratum_sizes(named)}
    record(actor=actor, verb="draw_items", target=campaign, details=details)
    return items


def freeze_runs(actor: User, outputs: list[Output]) -> None:
    """Freeze the runs that these outputs come from; what is graded never changes."""
    runs = Run.objects.filter(pk__in={output.run_id for output in outputs}, frozen_at=None).order_by("pk")
    for run in runs:
        freeze_run(actor=actor, run=run)


def public_answers(campaign: Campaign) -> str:
    """The address where anybody can read the answers of the campaign, or what referees quoted of them, with their
    systems, "" where there is none."""
    if campaign.kind == CampaignKind.CONSTRUCTION:
        return ""
    rows = ReleaseDescription.objects.filter(release=campaign.release_id)
    return rows.values_list("answers_public_at", flat=True).first() or ""


@transaction.atomic
def open_campaign(*, actor: User, campaign: Campaign, answers_are_public: bool = False) -> Campaign:
    """Open the campaign to reviewers; those who have places in it are told by email.

    Raises Refused while nothing is drawn, or (code "too_few_authors") when no item could be given to anyone, because
    too few systems answered each problem, or (code "answers_public") when anybody can look up who wrote an answer and
    the actor does not say that they know.
    """
    require_staff(actor)
    campaign = locked(campaign)
    campaign.phase = phases.after(campaign.phase, Verb.OPEN)
    if not campaign.items.exists():
        raise Refused("Draw the items before opening the campaign.", code="nothing_drawn")
    if campaign.kind != CampaignKind.CONSTRUCTION:
        ground = conflicts.ground_of(campaign)
        most = max((len(systems) for systems in ground.authors.values()), default=0)
        if most < ground.least:
            raise Refused(
                f"No item could be given to anyone: at least {ground.least} systems have to be possible authors, and "
                f"no problem was answered by more than {most}. If that much blinding is enough, set the least number "
                f"of possible authors to {most} or less first; the audit trail records it.",
                code="too_few_authors",
                field="least_authors",
            )
    # nobody publishes answers meanwhile
    Release.objects.select_for_update(no_key=True).get(pk=campaign.release_id)
    public_at = public_answers(campaign)
    if public_at and not answers_are_public:
        raise Refused(
            "Anybody can read answers, or what referees quoted of them, with the names of their systems at "
            f"{public_at}. Reviewers could look up what they grade. If that much blinding is enough, say so; the audit "
            "trail records it.",
            code="answers_public",
            field="answers_are_public",
        )
    campaign.opened_at = timezone.now()
    campaign.save(update_fields=["phase", "opened_at"])
    record(
        actor=actor,
        verb="open_campaign",
        target=campaign,
        details={"answers_public_at": public_at} if public_at else {},
    )
    call_worker("annotation.prepare_campaign", campaign.pk)
    call_worker("annotation.tell_reviewers", campaign.pk)
    return campaign


@transaction.atomic
def close_campaign(*, actor: User, campaign: Campaign, reason: str = "") -> Campaign:
    """Close the campaign: from then on no grade is added or changed. Unfinished places need a `reason`."""
    require_staff(actor)
    campaign = locked(campaign)
    campaign.phase = phases.after(campaign.phase, Verb.CLOSE)
    # Who submits holds the place: that grade is waited for, and a later one finds the campaign closed.
    held = Assignment.objects.filter(item__campaign=campaign).order_by("pk")
    list(held.select_for_update(no_key=True, of=("self",)).values_list("pk"))
    submitted = sum(
        1
        for item in campaign.items.prefetch_related("assignments")
        for place in item.assignments.all()
        if place.state == AssignmentState.SUBMITTED and not place.repeat
    )
    places = sum(campaign.items.values_list("places", flat=True))
    if submitted < places and not reason.strip():
        raise Refused(
            f"{places - submitted} of {places} places are unfinished: give a reason for closing early.",
            code="unfinished",
            field="reason",
        )
    campaign.closed_at = timezone.now()
    campaign.save(update_fields=["phase", "closed_at"])
    details = {"places": places, "submitted": submitted}
    record(actor=actor, verb="close_campaign", target=campaign, reason=reason.strip(), details=details)
    return campaign
