"""Sources that outputs selected: flags where it is the citing paper, and how many successes use another source.

A source that only a person can identify ("uncertain") never counts as the cited one, nor as another one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from benchmark.models import Output, ProtocolFlag, Release
from benchmark.protocols import get_protocol
from benchmark.settling.queue import answers
from judging.asking.subjects import output_of
from judging.models import Judge, Verdict
from judging.programs.sources import CITED, CITING, source_program
from reports.core.choosing import Chosen
from reports.scores.inputs import collect_chosen
from reports.scores.output_rows import scored_outputs
from reports.sources.cutoff import answered_outputs
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import proportion

_WORDS = {"yes": "cited", "no": "alternative", "uncertain": "ask", "": "unknown"}
_SETTLED = {"same": "yes", "different": "no"}
COUNTED = ("cited", "alternative", "ask", "unknown")


@dataclass(frozen=True)
class SourceRow:
    """One system's successes by source; `share` is alternative / successes, with bounds for those to be asked."""

    system: str
    successes: int
    cited: int
    alternative: int
    ask: Annotated[int, "Successes whose source a person must identify."]
    unknown: Annotated[int, "Successes whose source was not compared."]
    share: Annotated[Estimate, "Of other sources among successes whose source is known."]


def newest_matcher(release: Release) -> Judge | None:
    """The latest version of the source matcher that has spoken here; None before the first."""
    slug = f"{release.benchmark.protocol}-{source_program(release).name}"
    said = Verdict.objects.filter(output__run__release=release, predicate=CITING, judge__slug=slug)
    return Judge.objects.filter(pk__in=said.values("judge")).order_by("-version").first()


@dataclass(frozen=True)
class SourceFlag:
    """An output whose source is the citing paper (yes), or may be (uncertain)."""

    output: Output
    value: str
    reason: str


def protocol_flags(release: Release, matcher: Judge | None) -> list[SourceFlag]:
    """Flags found at import, and those of `matcher` on outputs that were imported before there were any."""
    related = ("output__instance", "output__run__system")
    at_import = ProtocolFlag.objects.filter(output__run__release=release, kind=CITING).select_related(
        *related
    )
    found = {
        flag.output_id: SourceFlag(flag.output, "yes" if flag.certain else "uncertain", flag.reason)
        for flag in at_import
    }
    asked = Verdict.objects.filter(
        judge=matcher, output__run__release=release, predicate=CITING, value__in=("yes", "uncertain")
    ).select_related(*related)
    for verdict in asked:
        output = output_of(verdict)
        found.setdefault(output.pk, SourceFlag(output, verdict.value, verdict.reason))

    def by_certainty(flag: SourceFlag) -> tuple[bool, str, str, int, int]:
        output = flag.output
        return flag.value != "yes", output.run.system.slug, output.instance.key, output.attempt, output.pk

    return sorted(found.values(), key=by_certainty)


def alternative_sources(chosen: Chosen, matcher: Judge | None) -> list[SourceRow]:
    """Per system: the successes under a judge by the status of their source; empty before a matcher has run."""
    if matcher is None or not chosen.judge:
        return []
    rows = Verdict.objects.filter(
        judge=matcher,
        predicate=CITED,
        output__run__release=chosen.release,
        output__run__track=chosen.track,
        output__run__condition=chosen.condition,
    ).values_list("output__run__system__slug", "output__instance__key", "output__attempt", "value")
    said = {(system, instance, attempt): value for system, instance, attempt, value in rows}
    # what people said about selected sources that the matcher could not tell, in the matcher's words
    types = get_protocol(chosen.release.benchmark.protocol).success_types
    settled = answers(chosen.release.name)
    if types is not None and settled:
        outputs = answered_outputs(chosen).values_list(
            "run__system__slug", "instance__key", "attempt", "instance__payload", "payload"
        )
        for system, instance, attempt, asked, answered in outputs.iterator():
            for case in types.open_cases(asked, answered):
                if case.pair in settled:
                    said[system, instance, attempt] = _SETTLED[settled[case.pair]]
    return tabulate(
        (row.system, said.get((row.system, row.instance, row.attempt), ""))
        for row in scored_outputs(collect_chosen(chosen))
        if row.bucket == "success"
    )


def tabulate(successes: Iterable[tuple[str, str]]) -> list[SourceRow]:
    """Rows of (system, the matcher's value) counted by system; bounds of a share count those that are not known."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for system, value in successes:
        counts[system][_WORDS[value]] += 1
    rows = []
    for system, found in sorted(counts.items()):
        known, size = found["cited"] + found["alternative"], found.total()
        bounds = (found["alternative"] / size, (size - found["cited"]) / size)
        share = undefined("wilson", Reason.ZERO_DENOM, n=0)
        if known:
            share = replace(proportion(found["alternative"], known), bounds=bounds)
        counted = {name: found[name] for name in COUNTED}
        rows.append(SourceRow(system=system, successes=size, share=share, **counted))
    return rows
