"""The score document in aligned text, for a terminal."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from reports.audit.corrections import empty_strata
from reports.scores.lacking import stated
from stats.core.display import rounded, rounded_percent

Document = Mapping[str, Any]
MEANS = ("mean_over_outputs", "mean_over_labels", "final_mean")


def score_text(document: Document) -> str:
    """All tables of a score document, one after the other."""
    return "\n".join(_lines(document))


def percent(estimate: Document) -> str:
    """ "46.7 % [30.2, 63.9] (14/30)", or the reason why there is no value."""
    if estimate["value"] is None:
        return f"none ({estimate['reason']})"
    shown = f"{rounded_percent(estimate['value'])} %"
    if estimate["ci"]:
        shown += f" [{rounded_percent(estimate['ci'][0])}, {rounded_percent(estimate['ci'][1])}]"
    if estimate.get("k") is not None:
        shown += f" ({estimate['k']:g}/{estimate['n']})"
    return shown


def number(estimate: Document) -> str:
    """ "0.812 [0.640, 0.951]", or the reason why there is no value."""
    if estimate["value"] is None:
        return f"none ({estimate['reason']})"
    shown = rounded(estimate["value"])
    if estimate["ci"]:
        shown += f" [{rounded(estimate['ci'][0])}, {rounded(estimate['ci'][1])}]"
    return shown


def _lines(document: Document) -> Iterator[str]:
    sample = " · SAMPLE DATA" if document["is_sample"] else ""
    frozen = "frozen" if document["frozen"] else "not frozen"
    condition = f", condition {document['condition']}" if "condition" in document else ""
    yield f"{document['release']} ({document['protocol']}, track {document['track']}{condition}, {frozen}){sample}"
    if "measured" in document:
        yield from _measured_lines(document["measured"])
    if document["judge"]:
        yield from _judge_lines(document["judge"])
    else:
        yield "No judge has spoken on this track."
    for campaign in document["experts"]:
        yield from _expert_lines(campaign)
    for system, counts in document["systems"].items():
        if "missing" in counts:
            yield f"{system}: no output for {counts['missing']} problems"
        if "not_released" in counts:
            yield f"{system}: {counts['not_released']} not released, in no denominator"
    for system, problems in document.get("not_released", {}).items():
        yield f"{system}: not released ({problems} problems), in no denominator"
    for rule in document.get("exclusions", ()):
        yield from _exclusion_lines(rule)
    if "in_sight" in document:
        yield from _in_sight_lines(document["in_sight"])


def _measured_lines(measured: Document) -> Iterator[str]:
    yield ""
    yield f"Measured on {measured['instances']} instances: value [95 %]"
    for key, measure in measured["measures"].items():
        found = {system: own[key] for system, own in measured["systems"].items() if key in own}
        if found:
            yield f"  {measure['title']}"
        for system, of_system in found.items():
            estimate, missing = of_system["estimate"], of_system["missing"]
            counts = (
                f" ({estimate['k']:g}/{estimate['n']})" if measure["binary"] else f" (n = {estimate['n']})"
            )
            open_cases = f"  {of_system['open']} open: {_bounds(estimate)}" if "open" in of_system else ""
            settled = f"  {of_system['settled']} settled by people" if "settled" in of_system else ""
            lacking = f"  {missing} missing" if missing else ""
            yield f"    {system:<20} {number(estimate)}{counts}{lacking}{settled}{open_cases}"


def _bounds(estimate: Document) -> str:
    low, high = estimate["bounds"]
    return f"between {rounded_percent(low)} and {rounded_percent(high)} %"


def _exclusion_lines(rule: Document) -> Iterator[str]:
    counts = rule["instances"]
    kind = "primary" if rule["primary"] else "late" if rule["late"] else "beside"
    yield ""
    yield f"Exclusion {rule['rule']} ({kind}): {counts['excluded']} of {counts['all']} instances out"
    for row in rule["figures"]:
        show = number if row["all"]["method"] in MEANS else percent
        left = show(row["left"]) if row["left"] else "nothing is left"
        name = ", ".join(filter(None, (row["kind"], row["question"], row["campaign"])))
        yield f"  {row['system']:<20} {name}: {show(row['all'])} -> {left}"


def _in_sight_lines(found: Document) -> Iterator[str]:
    counts = found["labels"]
    yield ""
    yield (
        f"In sight of a verdict: {counts['in_sight']} labels, not counted above next to {counts['independent']} "
        "independent ones"
    )
    for row in found["figures"]:
        show = number if row["with"]["method"] in MEANS else percent
        without = show(row["without"]) if row["without"] else "nothing is left"
        name = ", ".join(filter(None, (row["kind"], row["question"], row["campaign"])))
        yield f"  {row['system']:<20} {name}: {without} -> {show(row['with'])} with them"


def _judge_lines(judge: Document) -> Iterator[str]:
    yield ""
    yield f"Fixed judge {judge['label']}: value [Wilson 95 %], then [paper-cluster bootstrap 95 %]"
    for key, metric in judge["metrics"].items():
        rows = [
            (system, part["metrics"][key])
            for system, part in judge["systems"].items()
            if key in part["metrics"]
        ]
        if rows:
            yield f"  {metric['title']}"
        for system, found in rows:
            clustered = found["paper_bootstrap"]["ci"]
            papers = (
                f"  [{rounded_percent(clustered[0])}, {rounded_percent(clustered[1])}]" if clustered else ""
            )
            problems = found["estimate"]["clusters"]
            together = f"  attempts at {problems} problems taken together" if problems else ""
            yield f"    {system:<20} {percent(found['estimate'])}{papers}{together}{_over_all(found)}"
    for audit in judge["audits"]:
        yield from _audit_lines(audit, judge["metrics"])


def _over_all(found: Document) -> str:
    gone = found.get("all_problems")
    return f"  ({stated(gone)}; over all problems {percent(gone['estimate'])})" if gone else ""


def _audit_lines(audit: Document, metrics: Document) -> Iterator[str]:
    yield ""
    yield f"Audit {audit['campaign']}: {audit['labelled']} of {audit['drawn']} drawn outputs labelled"
    for key, found in audit["metrics"].items():
        inside, weighted = found["in_sample"], found["weighted"]
        counts = ", ".join(f"{cell.upper()} {inside[cell]}" for cell in ("tp", "fp", "fn", "tn"))
        yield f"  {metrics[key]['title']}: {counts}; excluded {found['excluded']}"
        for name in ("agreement", "precision", "recall", "f1", "kappa"):
            yield f"    {name:<10} in sample {number(inside[name]):<26} weighted {number(weighted[name])}"
        if found["corrected"]:
            yield "    corrected [Beta-Binomial 95 %]"
        for system, corrected in found["corrected"].items():
            yield f"      {system:<18} {percent(corrected['estimate'])}{_borrowed(corrected)}"
        if found["corrected"]:
            together = found["corrected_pooled"]["estimate"]
            notes = " ".join(together["warnings"])
            yield f"      {'all together':<18} {percent(together)}{f'; {notes}' if notes else ''}"
        if found.get("splits"):
            yield f"      experts split evenly on {found['splits']} outputs, which count negative"
        if found.get("missing"):
            yield f"      {found['missing']} drawn outputs have no label"
        for row in empty_strata(found).values():
            yield f"      nothing drawn of {row['stratum']} ({row['size']} outputs); {_to_draw(audit, row)}"


def _borrowed(corrected: Document) -> str:
    return f"; as on the others {percent(corrected['borrowed'])}" if "borrowed" in corrected else ""


def _to_draw(audit: Document, row: Document) -> str:
    """The request that plans what completes an audit."""
    terms = {"strata": "system/bucket", "buckets": [row["bucket"]], "exclude": [audit["campaign"]]}
    return f"to draw them, POST audit-plan/ {json.dumps(terms, ensure_ascii=False)}"


def _expert_lines(campaign: Document) -> Iterator[str]:
    yield ""
    state = "closed" if campaign["closed"] else "open, no figures by system before it is closed"
    yield f"Experts, {campaign['name']} ({campaign['rubric']}, {state})"
    for key, question in campaign["questions"].items():
        yield f"  {key}"
        for system, found in question["systems"].items():
            yield f"    {system:<20} {_expert_cell(found)}"


def _expert_cell(found: Document) -> str:
    without = "".join(f"; {found[state]} {state}" for state in ("abstain", "unavailable") if state in found)
    return _expert_figures(found) + without


def _expert_figures(found: Document) -> str:
    if "steps" in found:
        counts = ", ".join(f"{value} {n}" for value, n in found["steps"].items() if n)
        means = [f"; {of['title']} {number(of['estimate'])}" for of in found["measures"].values()]
        return f"{found['outputs']} outputs; {counts}{''.join(means)}"
    if "macro" in found:
        final = f", {number(found['final'])} after adjudication" if "final" in found else ""
        return f"mean {number(found['macro'])} over outputs, {number(found['micro'])} over labels{final}"
    counts = ", ".join(f"{value} {n}" for value, n in found["labels"].items())
    conservative = ", ".join(f"{value} {n}" for value, n in found["conservative"]["counts"].items())
    return f"{counts}; conservative: {conservative}; {_passed(found)}{_final_counts(found)}"


def _passed(found: Document) -> str:
    unanimous, majority = found["conservative"]["estimate"], found["majority"]["estimate"]
    over_all = ""
    if gone := found.get("missing") or found.get("not_released"):
        against = gone["counted_against"]
        over_all = (
            f" ({against['k']:g} of {against['n']} with the {gone['problems']} it lacks counted against it)"
        )
    return f"passed {unanimous['k'] or 0} of {unanimous['n']} unanimously{over_all}, {majority['k'] or 0} by majority"


def _final_counts(found: Document) -> str:
    if "final" not in found:
        return ""
    return "; final: " + ", ".join(f"{value} {n}" for value, n in found["final"]["counts"].items())
