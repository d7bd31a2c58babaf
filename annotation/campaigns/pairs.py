"""Drawing the pairs of a blind comparison."""

from collections.abc import Iterable

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns import sampling
from annotation.campaigns.actions import freeze_runs, locked, require_staff
from annotation.campaigns.frames import hold_runs
from annotation.campaigns.pairing import mirrored, pairs
from annotation.core import phases
from annotation.core.phases import Verb
from annotation.core.queries import compared_runs
from annotation.models import Campaign, CampaignKind, Item
from annotation.quarantine.actions import eligible
from benchmark.models import Output, OutputState


@transaction.atomic
def draw_pairs(
    *,
    actor: User,
    campaign: Campaign,
    systems: Iterable[str] = (),
    per_stratum: int | None = None,
    mirrored_share: float = 0.0,
    leave_out_undecided: bool = False,
) -> list[Item]:
    """Draw pairs of answers to the same problem, once; a stratum is a pair of systems.

    `systems` are the slugs to be compared (default: every system of the track); `per_stratum` draws so many
    problems for each pair of systems, or all that both answered. `mirrored_share` (0-1) of the drawn pairs
    come to each reviewer a second time with the sides exchanged. First attempts of plain runs are compared.
    Raises Refused as draw_items does, and when fewer than two systems have answers.
    """
    require_staff(actor)
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.DRAW)
    if campaign.kind != CampaignKind.COMPARE:
        raise Refused("Only a campaign of comparisons draws pairs.", code="wrong_kind")
    if campaign.items.exists():
        raise Refused("The items of this campaign are already drawn.", code="already_drawn")
    hold_runs(campaign)
    outputs = _outputs(campaign, frozenset(systems))
    outputs = eligible(campaign.release, outputs, leave_out_undecided=leave_out_undecided)
    by_system: dict[str, dict[str, int]] = {}
    for output in outputs.values():
        by_system.setdefault(output.run.system.slug, {})[output.instance.key] = output.pk
    # a pair's key is the same wherever the release is imported, so that a draw can be repeated elsewhere
    found, frame = {}, {}
    for pair in pairs(by_system):
        stratum = "|".join(sorted(outputs[pk].run.system.slug for pk in pair))
        key = f"{outputs[pair[0]].instance.key}\x1f{stratum}"
        found[key], frame[key] = pair, stratum
    if not frame:
        raise Refused("No problem was answered by two of these systems.", code="nothing_to_draw")
    try:
        wanted = sampling.equal_sizes(sampling.stratum_sizes(frame), per_stratum)
        drawn = sampling.draw(frame, wanted, campaign.seed)
        twice = mirrored([unit.key for unit in drawn], mirrored_share, campaign.seed)
    except ValueError as error:
        raise Refused(f"{str(error).capitalize()}.", code="bad_sample") from error
    freeze_runs(actor, [outputs[pk] for unit in drawn for pk in found[unit.key]])
    items = Item.objects.bulk_create(
        Item(
            campaign=campaign,
            output_id=found[unit.key][0],
            second_id=found[unit.key][1],
            mirrored=unit.key in twice,
            instance=outputs[found[unit.key][0]].instance,
            domain=outputs[found[unit.key][0]].instance.domain,
            stratum=unit.stratum,
            stratum_size=unit.stratum_size,
            sample_size=unit.sample_size,
            inclusion_probability=unit.inclusion_probability,
            places=campaign.reviewers_per_item,
        )
        for unit in drawn
    )
    details = {"seed": campaign.seed, "strata": sampling.stratum_sizes(frame), "mirrored": len(twice)}
    record(actor=actor, verb="draw_pairs", target=campaign, details=details)
    return items


def _outputs(campaign: Campaign, systems: frozenset[str]) -> dict[int, Output]:
    rows = Output.objects.filter(
        run__in=compared_runs(campaign), attempt=1, state=OutputState.ANSWERED
    ).select_related("instance", "run__system")
    if systems:
        rows = rows.filter(run__system__slug__in=systems)
    found = {output.pk: output for output in rows}
    missing = systems - {output.run.system.slug for output in found.values()}
    if missing:
        raise Refused(
            f"{', '.join(sorted(missing))} has no answers in track {campaign.track!r} of {campaign.release}.",
            code="no_answers",
            field="systems",
        )
    return found
