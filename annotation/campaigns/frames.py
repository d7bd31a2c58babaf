"""What a campaign can draw from: every unit by its public key, with its stratum.

A public key is the same wherever the release is imported, so that a draw can be repeated elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.refusal import Refused
from annotation.models import Campaign
from benchmark.models import Instance, Output, OutputState
from stats.core.text import counted


@dataclass(frozen=True)
class Unit:
    """Something that can be drawn: an output, or an instance without one."""

    instance: Instance
    stratum: str
    output: Output | None = None


def hold_runs(campaign: Campaign) -> None:
    """Until the draw is stored nobody decides about its outputs: who redacts or leaves out one holds its run."""
    list(campaign.runs().select_for_update().order_by("pk").values_list("pk"))


def answered_outputs(campaign: Campaign, strata: Mapping[int, str] | None) -> dict[int, Output]:
    """The answered outputs of the campaign's runs by id; only those of a plan's `strata` if given.

    Raises Refused when there is none, or when the plan names something else.
    """
    rows = Output.objects.filter(run__in=campaign.runs(), state=OutputState.ANSWERED).select_related(
        "instance", "run__system"
    )
    found = {output.pk: output for output in rows if strata is None or output.pk in strata}
    if not found:
        under = f" under condition {campaign.condition!r}" if campaign.condition else ""
        raise Refused(
            f"{campaign.release} has no answered outputs in track {campaign.track!r}{under}.",
            code="nothing_to_draw",
        )
    if strata is not None and len(found) != len(strata):
        missing = len(strata) - len(found)
        raise Refused(
            f"{counted(missing, 'output of the plan is', 'outputs of the plan are')} not among the answered ones of "
            "this release, track and condition."
        )
    return found


def frame_of_outputs(outputs: Mapping[int, Output], strata: Mapping[int, str] | None) -> dict[str, Unit]:
    """Outputs by key, each in its stratum of the plan, or without one in its domain."""
    frame = {}
    for output in outputs.values():
        run = output.run
        key = f"{output.instance.key}\x1f{run.system.slug}\x1f{run.condition}\x1f{output.attempt}"
        stratum = output.instance.domain if strata is None else strata[output.pk]
        frame[key] = Unit(output.instance, stratum, output)
    return frame


def frame_of_instances(campaign: Campaign) -> dict[str, Unit]:
    """Every instance of the campaign's release by key, in its domain."""
    found = {row.key: Unit(row, row.domain) for row in campaign.release.instances.all()}
    if not found:
        raise Refused(f"{campaign.release} has no instances.", code="nothing_to_draw")
    return found
