"""The date cut-off of retrieval: which candidates and selected sources of a run are younger than they may be."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from django.db.models import QuerySet

from benchmark.models import Output, OutputState
from benchmark.protocols import get_protocol
from reports.core.choosing import Chosen

MOST_NAMED = 200
IN_TIME, LATE, UNKNOWN = STANDINGS = ("in_time", "late", "unknown")


@dataclass(frozen=True, kw_only=True)
class LateSource:
    """A source that is younger than the problem allows; `selected` where the system chose it."""

    system: str
    instance: str
    attempt: int
    title: str
    year: int
    latest: Annotated[int, "The last year that the problem allows."]
    selected: bool


@dataclass(frozen=True, kw_only=True)
class SystemDates:
    system: str
    candidates: Annotated[Mapping[str, int], "How many are in_time, late, or of an unknown year."]
    selected: Annotated[Mapping[str, int], "The same of the selected sources."]
    without_limit: Annotated[int, "Outputs for problems whose own year is not known."]


@dataclass(frozen=True, kw_only=True)
class Cutoff:
    """By system, and the late sources by name, at most 200; `late` counts all."""

    systems: Sequence[SystemDates]
    late: int
    named: Sequence[LateSource]


def answered_outputs(chosen: Chosen) -> QuerySet[Output]:
    return Output.objects.filter(
        run__release=chosen.release,
        run__track=chosen.track,
        run__condition=chosen.condition,
        state=OutputState.ANSWERED,
    )


def cutoff(chosen: Chosen) -> Cutoff | None:
    """The sources of the answered outputs of one track and condition; None for a protocol without a cut-off."""
    dates_of = get_protocol(chosen.release.benchmark.protocol).source_dates
    if dates_of is None:
        return None
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    named: list[LateSource] = []
    late = 0
    outputs = answered_outputs(chosen).order_by("run__system__slug", "instance__key", "attempt")
    rows = outputs.values_list(
        "run__system__slug", "instance__key", "attempt", "instance__payload", "payload"
    )
    for system, instance, attempt, asked, answered in rows.iterator(chunk_size=500):
        dates = dates_of(asked, answered)
        found = counts[system]
        found["without_limit"]["outputs"] += dates.latest is None
        sources = [("candidates", source) for source in dates.candidates]
        sources += [("selected", dates.selected)] if dates.selected else []
        for kind, (title, year) in sources:
            if year is None or dates.latest is None:
                found[kind][UNKNOWN] += 1
            elif year <= dates.latest:
                found[kind][IN_TIME] += 1
            else:
                found[kind][LATE] += 1
                late += 1
                if len(named) < MOST_NAMED:
                    named.append(
                        LateSource(
                            system=system,
                            instance=instance,
                            attempt=attempt,
                            title=title,
                            year=year,
                            latest=dates.latest,
                            selected=kind == "selected",
                        )
                    )
    systems = [
        SystemDates(
            system=system,
            candidates={standing: found["candidates"][standing] for standing in STANDINGS},
            selected={standing: found["selected"][standing] for standing in STANDINGS},
            without_limit=found["without_limit"]["outputs"],
        )
        for system, found in counts.items()
    ]
    return Cutoff(systems=systems, late=late, named=named)
