"""The score in aligned text, for a terminal."""

import json
from collections.abc import Iterator, Mapping

from reports.scores import shape
from reports.scores.lacking import stated
from stats.core.display import rounded, rounded_percent
from stats.core.estimate import Estimate
from stats.core.text import counted

# how the method of a mean begins
MEANS = ("mean_over_outputs", "mean_over_labels", "final_mean", "instance_mean")


def score_text(score: shape.Score) -> str:
    """All tables of a score, one after the other."""
    sample = " · SAMPLE DATA" if score.is_sample else ""
    frozen = "frozen" if score.frozen else "not frozen"
    condition = f", condition {score.condition}" if score.condition else ""
    lines = [f"{score.release} ({score.protocol}, track {score.track}{condition}, {frozen}){sample}"]
    if score.measured and any(map(score.measured.by_system, score.measured.measures)):
        lines += ["", f"Measured on {counted(score.measured.instances, 'instance')}: value [95 %]"]
        for key, measure in score.measured.measures.items():
            systems = score.measured.by_system(key)
            if systems:
                lines.append(f"  {measure.title}")
            for system, found in systems.items():
                estimate = found.estimate
                total = f" ({estimate.k:g}/{estimate.n})" if measure.binary else f" (n = {estimate.n})"
                notes = f"  {found.missing} missing" if found.missing else ""
                notes += f"  {found.settled} settled by people" if found.settled else ""
                if found.open and estimate.bounds:
                    low, high = (rounded_percent(end) for end in estimate.bounds)
                    notes += f"  {found.open} open: between {low} and {high} %"
                lines.append(f"    {system:<20} {number(estimate)}{total}{notes}")
    lines += (
        _judge_lines(score.judge, score.condition)
        if score.judge
        else ["No judge has given a verdict on this track."]
    )
    for campaign in score.experts:
        state = "closed" if campaign.closed else "open, no figures by system before it is closed"
        lines += ["", f"Experts, {campaign.name} ({campaign.rubric}, {state})"]
        for key, question in campaign.questions.items():
            lines.append(f"  {key}")
            lines += [f"    {system:<20} {expert_cell(found)}" for system, found in question.systems.items()]
    for system, counts in score.systems.items():
        if counts.missing:
            lines.append(f"{system}: no output for {counted(counts.missing, 'problem')}")
        if counts.not_released:
            lines.append(f"{system}: {counts.not_released} not released, in no denominator")
    for system, problems in (score.not_released or {}).items():
        lines.append(f"{system}: not released ({counted(problems, 'problem')}), in no denominator")
    for rule in score.exclusions or ():
        kind = (
            ", ".join(word for word, is_so in (("primary", rule.primary), ("late", rule.late)) if is_so)
            or "not primary"
        )
        out, every = rule.instances["excluded"], rule.instances["all"]
        lines += ["", f"Exclusion {rule.rule} ({kind}): {out} of {every} instances out"]
        for figure in rule.figures:
            change = f"{shown(figure.all, figure.all)} -> {shown(figure.left, figure.all)}"
            lines.append(f"  {figure.system:<20} {_name(figure)}: {change}")
    if score.in_sight:
        seen, independent = score.in_sight.labels["in_sight"], score.in_sight.labels["independent"]
        told = f"{counted(seen, 'label')}, not counted above next to {independent} independent ones"
        lines += ["", f"In sight of a verdict: {told}"]
        for row in score.in_sight.figures:
            change = f"{shown(row.without, row.with_)} -> {shown(row.with_, row.with_)} with them"
            lines.append(f"  {row.system:<20} {_name(row)}: {change}")
    return "\n".join(lines)


def percent(estimate: Estimate) -> str:
    """ "46.7 % [30.2, 63.9] (14/30)", or the reason why there is no value."""
    if estimate.value is None:
        return f"none ({estimate.reason})"
    shown = f"{rounded_percent(estimate.value)} %"
    if estimate.ci:
        shown += f" [{rounded_percent(estimate.ci[0])}, {rounded_percent(estimate.ci[1])}]"
    if estimate.k is not None:
        shown += f" ({estimate.k:g}/{estimate.n})"
    return shown


def number(estimate: Estimate) -> str:
    """ "0.812 [0.640, 0.951]", or the reason why there is no value."""
    if estimate.value is None:
        return f"none ({estimate.reason})"
    shown = rounded(estimate.value)
    if estimate.ci:
        shown += f" [{rounded(estimate.ci[0])}, {rounded(estimate.ci[1])}]"
    return shown


def _name(row: shape.Figure) -> str:
    return ", ".join(filter(None, (row.kind, row.question, row.campaign)))


def shown(estimate: Estimate | None, whole: Estimate) -> str:
    """A figure with some of its labels left out, as a mean or as a share like that of the whole."""
    if estimate is None:
        return "nothing is left"
    return number(estimate) if whole.method.startswith(MEANS) else percent(estimate)


def _judge_lines(judge: shape.Judged, condition: str | None) -> Iterator[str]:
    yield ""
    yield f"Fixed judge {judge.label}: value [Wilson 95 %], then [paper-cluster bootstrap 95 %]"
    for key, metric in judge.metrics.items():
        rows = judge.by_system(key)
        if rows:
            yield f"  {metric.title}"
        if rows and (unread := [system for system in judge.systems if system not in rows]):
            yield f"    not judged: {', '.join(unread)}"
        for system, found in rows.items():
            clustered, problems = found.paper_bootstrap.ci, found.estimate.clusters
            notes = (
                f"  [{rounded_percent(clustered[0])}, {rounded_percent(clustered[1])}]" if clustered else ""
            )
            notes += f"  attempts at {counted(problems, 'problem')} taken together" if problems else ""
            if gone := found.all_problems:
                notes += f"  ({stated(gone)}; over all problems {percent(gone.estimate)})"
            more = _further(found, "estimate", "paper_bootstrap")
            yield f"    {system:<20} {percent(found.estimate)}{notes}{more}"
    for audit in judge.audits:
        yield ""
        yield f"Audit {audit.campaign}: {audit.labelled} of {audit.drawn} drawn outputs labelled"
        for key, audited in audit.metrics.items():
            inside = audited.in_sample
            counts = ", ".join(f"{cell.upper()} {count}" for cell, count in inside.counts.items())
            yield f"  {judge.metrics[key].title}: {counts}; excluded {audited.excluded}"
            for name, estimate in inside.coefficients.items():
                weighted = number(audited.weighted[name])
                yield f"    {name:<10} in sample {number(estimate):<26} weighted {weighted}"
            if audited.corrected:
                yield "    corrected [Beta-Binomial 95 %]"
            for system, corrected in audited.corrected.items():
                borrowed = f"; as on the others {percent(corrected.borrowed)}" if corrected.borrowed else ""
                yield f"      {system:<18} {percent(corrected.estimate)}{borrowed}"
            if audited.corrected:
                together = audited.corrected_pooled.estimate
                notes = " ".join(together.warnings)
                yield f"      {'all together':<18} {percent(together)}{f'; {notes}' if notes else ''}"
            if audited.splits:
                yield f"      experts split evenly on {counted(audited.splits, 'output')}, counted negative"
            if audited.missing:
                yield f"      {counted(audited.missing, 'drawn output')} without a label that this needs"
            for row in audited.empty_strata.values():
                terms: dict[str, object] = {"condition": condition} if condition else {}
                terms |= {"strata": "system/bucket", "buckets": [row.bucket], "exclude": [audit.campaign]}
                request = f"POST audit-plan/ {json.dumps(terms, ensure_ascii=False)}"
                yield f"      nothing drawn of {row.stratum} ({counted(row.size, 'output')}); to draw them, {request}"


def left_undecided(found: shape.Steps, measure: shape.StepMeasured) -> str:
    """ "1 output left out, not assessed far enough: between 0.333 and 0.667 with it"; "" where none is left out."""
    n = measure.estimate.n or 0
    left = found.outputs - n
    if not left:
        return ""
    total = (measure.estimate.value or 0.0) * n
    low, high = (rounded(end / found.outputs) for end in (total, total + left))
    them = "it" if left == 1 else "them"
    return (
        f"{counted(left, 'output')} left out, not assessed far enough: between {low} and {high} with {them}"
    )


def expert_cell(found: shape.Choices | shape.Means | shape.Steps) -> str:
    """What the experts said about one system by one question, in one line."""
    if isinstance(found, shape.Steps):
        counts = _listed(found.steps, zeros=False)
        means = [
            f"; {of.title} {number(of.estimate)}{f' ({left})' if (left := left_undecided(found, of)) else ''}"
            for of in found.measures.values()
        ]
        return f"{counted(found.outputs, 'output')}; {counts}{''.join(means)}"
    without = f"; {found.abstain} abstain" if found.abstain else ""
    without += f"; {found.unavailable} unavailable" if found.unavailable else ""
    if isinstance(found, shape.Means):
        final = f", {number(found.final)} after adjudication" if found.final else ""
        more = _further(found, "macro", "micro", "final")
        passed = f"; {_passed(found.passes)}" if found.passes and found.passes.majority.n else ""
        mean = f"mean {number(found.macro)} over outputs, {number(found.micro)} over labels"
        return f"{mean}{final}{more}{passed}{without}"
    passes = shape.Passes(conservative=found.conservative.estimate, majority=found.majority.estimate)
    over_all = ""
    if gone := found.missing or found.not_released:
        rate = gone.counted_against
        over_all = f" ({rate.k:g} of {rate.n} with the {gone.problems} it lacks counted against it)"
    final = f"; final: {_listed(found.final.counts)}" if found.final else ""
    conservative = _listed(found.conservative.counts)
    more = _further(found, "conservative", "majority", "final")
    return f"{_listed(found.labels)}; conservative: {conservative}; {_passed(passes, over_all)}{final}{more}{without}"


def _passed(found: shape.Passes, over_all: str = "") -> str:
    unanimous, majority = found.conservative, found.majority
    return f"passed {unanimous.k or 0} of {unanimous.n} unanimously{over_all}, {majority.k or 0} by majority"


def _further(found: object, *known: str) -> str:
    """The figures of a system that are declared as columns, but those that the line has `known`: "; Median 0.5"."""
    more = ""
    for column in shape.columns([found]):
        estimate = column.estimate(found)
        if estimate and column.key.field not in known:
            value = percent(estimate) if column.shown.places is None else number(estimate)
            more += f"; {column.shown.title} {value}"
    return more


def _listed(counts: Mapping[str, int], *, zeros: bool = True) -> str:
    return ", ".join(f"{value} {n}" for value, n in counts.items() if n or zeros)
