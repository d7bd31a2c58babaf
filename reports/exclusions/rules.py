"""Exclusion rules: which instances are excluded when reviewers object to them, and what that changes. No rows here.

A rule names grounds and a number k: an instance is excluded when at least k reviewers of closed campaigns gave one
of the grounds for it, or when it is a duplicate and the rule names that ground. The score has no exclusion, unless
there is a primary rule, declared before any unblinding; either way every rule shows its figures with and without.
What compares systems leaves out what the score does.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from benchmark.leakage_kinds import FLAG_KINDS, INSTANCE_KINDS
from reports.scores.shape import ExcludedFigure, ExcludedInstance, Exclusion, Score
from stats.core.estimate import Estimate

LEAK = "leak"
DUPLICATE = "duplicate"
GROUNDS: Mapping[str, str] = {
    LEAK: "It is leaked, in whatever way",
    "seen_before": "Its solution was seen before",
    "statement_wrong": "Its statement is wrong",
    **{kind: FLAG_KINDS[kind].words for kind in INSTANCE_KINDS},
    DUPLICATE: "It has the same passage as another instance that stays, by the release itself and not by reviewers",
}


class FigureKey(NamedTuple):
    """Where a figure by system is in a score: what kind, the campaign, the metric or question, and the system."""

    kind: str
    campaign: str
    question: str
    system: str


Figures = dict[FigureKey, Estimate]


@dataclass(frozen=True)
class Rule:
    """A declared rule. `grounds` are keys of GROUNDS, comma-separated; `late`: declared when results could be read."""

    name: str
    grounds: str
    at_least: int
    primary: bool
    late: bool
    reason: str
    declared_at: str

    @property
    def keys(self) -> list[str]:
        return self.grounds.split(",")


@dataclass(frozen=True)
class Objection:
    """How many of the `graders` of an instance, in closed campaigns, gave this ground. That an instance is a DUPLICATE
    shows in the release, and no reviewer needs to say so."""

    instance: str
    ground: str
    reviewers: int
    graders: int


def fallen_out(rule: Rule, objections: Sequence[Objection]) -> dict[str, list[Objection]]:
    """Instance to the objections by which `rule` excludes it."""
    found: dict[str, list[Objection]] = {}
    for objection in objections:
        enough = objection.ground == DUPLICATE or objection.reviewers >= rule.at_least
        if objection.ground in rule.keys and enough:
            found.setdefault(objection.instance, []).append(objection)
    return dict(sorted(found.items()))


def without(inputs: Any, instances: Collection[str]) -> Any:
    """The Inputs of a score with outputs, labels, decisions and measures of the other instances only.

    Votes and draws stay whole: an audit was drawn from everything, and a corrected score of the rest is that of a
    part of the release, estimated within the strata of the whole.
    """
    if not instances:
        return inputs
    outputs = tuple(row for row in inputs.outputs if row.instance not in instances)
    left = {row.subject for row in outputs}
    rest = {
        name: tuple(row for row in getattr(inputs, name) if row.subject in left)
        for name in ("labels", "in_sight", "decisions")
    }
    rest |= {
        name: tuple(row for row in getattr(inputs, name) if row.instance not in instances)
        for name in ("asked", "measured", "unreleased", "open_measures", "settled")
    }
    return replace(inputs, outputs=outputs, **rest)


def primary_exclusion(inputs: Any) -> Collection[str]:
    """The instances that the primary score leaves out: none without a primary rule."""
    return excluded_by_primary(inputs.rules, inputs.objections)


def excluded_by_primary(rules: Sequence[Rule], objections: Sequence[Objection]) -> Collection[str]:
    rule = next((rule for rule in rules if rule.primary), None)
    return fallen_out(rule, objections) if rule else ()


def left_out(inputs: Any) -> Collection[str]:
    """The instances that comparisons leave out: those of the score. Before methods 6 they left out none."""
    return primary_exclusion(inputs) if inputs.methods > 5 else ()


def counted(inputs: Any) -> Any:
    """The Inputs without what comparisons leave out."""
    return without(inputs, left_out(inputs))


def shown_exclusion(inputs: Any) -> Exclusion | None:
    """The primary rule with what it excludes, for pages whose figures leave that out."""
    return next((excluded_by(rule, inputs) for rule in inputs.rules if rule.primary), None)


def exclusions(inputs: Any, score: Callable[[Any, Collection[str]], Score]) -> list[Exclusion]:
    """Every rule with what it excludes and its figures next to those of the whole.

    `score` scores inputs without some instances.
    """
    if not inputs.rules:
        return []
    measured = inputs.methods > 19  # older artifacts lack these figures
    everything = figures(score(inputs, ()), measured=measured)
    found = []
    for rule in inputs.rules:
        shown = excluded_by(rule, inputs)
        out = {row.instance for row in shown.excluded}
        left = figures(score(inputs, out), measured=measured) if shown.outputs["left"] else {}
        changes = [
            ExcludedFigure(**at._asdict(), all=estimate, left=left.get(at))
            for at, estimate in everything.items()
        ]
        found.append(replace(shown, figures=changes))
    return found


def excluded_by(rule: Rule, inputs: Any) -> Exclusion:
    """A rule with what it excludes, without figures."""
    known = {row.instance: row.domain for row in inputs.outputs}
    outputs = Counter(row.instance for row in inputs.outputs)
    out = {name: why for name, why in fallen_out(rule, inputs.objections).items() if name in known}
    return Exclusion(
        rule=rule.name,
        grounds=rule.keys,
        at_least=rule.at_least,
        primary=rule.primary,
        late=rule.late,
        reason=rule.reason,
        declared_at=rule.declared_at,
        instances={"all": len(known), "excluded": len(out), "left": len(known) - len(out)},
        outputs={"all": len(inputs.outputs), "left": sum(row.instance not in out for row in inputs.outputs)},
        excluded=[
            ExcludedInstance(
                instance=name,
                domain=known[name],
                outputs=outputs[name],
                grounds={objection.ground: objection.reviewers for objection in why},
                graders=max(objection.graders for objection in why),
            )
            for name, why in out.items()
        ],
        figures=[],
    )


def figures(score: Score, *, measured: bool = True) -> Figures:
    """The figures by system of a score: measured, judged, corrected by audits, and what experts said."""
    found: Figures = {}
    if score.measured is not None and measured:
        for system, own in score.measured.systems.items():
            for measure, by_itself in own.items():
                found[FigureKey("measured", "", measure, system)] = by_itself.estimate
    if score.judge is not None:
        for system, part in score.judge.systems.items():
            for metric, judged in part.metrics.items():
                found[FigureKey("judge", "", metric, system)] = judged.estimate
        for audit in score.judge.audits:
            for metric, audited in audit.metrics.items():
                for system, corrected in audited.corrected.items():
                    found[FigureKey("corrected", audit.campaign, metric, system)] = corrected.estimate
    for campaign in score.experts:
        for key, question in campaign.questions.items():
            for system, said in question.systems.items():
                for kind in ("conservative", "majority", "macro", "final"):
                    known = getattr(said, kind, None)
                    if known is not None:
                        estimate = known if isinstance(known, Estimate) else known.estimate
                        found[FigureKey(f"experts, {kind}", campaign.campaign, key, system)] = estimate
    return dict(sorted(found.items()))
