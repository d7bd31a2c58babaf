"""The arguments that several commands share: a release, its track and judge."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from accounts.refusal import Refused
from benchmark.models import Release
from reports.core.choosing import PARAMETERS, Chosen, choose
from reports.scores.inputs import Inputs, collect_chosen


def release_called(name: str) -> Release:
    """The release of that name; raises Refused naming those that exist."""
    release = Release.objects.select_related("benchmark").filter(name=name).first()
    if release is None:
        known = ", ".join(Release.objects.order_by("name").values_list("name", flat=True)) or "none"
        raise Refused(f"There is no release {name!r}; there are: {known}.", code="no_release")
    return release


def track_arguments(parser: CommandParser, *, judge: bool = True) -> None:
    """--release, --track and, unless a command is about all judges, --judge, as the pages of a track take them."""
    parser.add_argument("--release", required=True)
    parser.add_argument("--track", default="", help="left out: raw, or the first track there is")
    parser.add_argument("--condition", default="", help="of the runs; left out: the usual one")
    parser.add_argument(
        "--tuple", default="", help="frozen tuple, needed when the runs of the track belong to several"
    )
    if judge:
        parser.add_argument(
            "--judge", default="", help="a judge version; left out: the first that has verdicts"
        )


def chosen_track(options: Mapping[str, Any]) -> Chosen:
    """The named release, track and judge. Raises Refused naming what exists."""
    asked = {key: options[key] for key in PARAMETERS if options.get(key)}
    return choose(release_called(options["release"]), asked)


def chosen_inputs(options: Mapping[str, Any]) -> Inputs:
    """What the figures of the named track depend on. Raises Refused naming what exists."""
    return collect_chosen(chosen_track(options))
