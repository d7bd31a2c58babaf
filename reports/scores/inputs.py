"""Everything that a score depends on, as plain values: what an artifact freezes and a verifier recomputes.

`collect` reads it from the database; `as_json` and `from_json` are inverse to each other, so that a score
can be recomputed on a machine that has nothing but the artifact. Tables are lists of rows, rows lists of fields.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeVar, get_type_hints

from accounts.refusal import Refused
from annotation.models import CampaignKind
from benchmark.models import Release
from judging.models import Judge
from reports.core.choosing import Chosen, TupleInfo, judges_with_verdicts, one_tuple
from reports.core.datasets import (
    PLAIN,
    CampaignInfo,
    Decision,
    DrawnItem,
    ExpertLabel,
    JudgeInfo,
    OutputRow,
    Reached,
    Undrawable,
    Unreleased,
    Vote,
    campaign_info,
    drawn_items,
    expert_labels,
    graded_campaigns,
    judge_info,
    judge_votes,
    output_rows,
    primary_decisions,
    reached_stages,
    undrawable_outputs,
    unreleased_rows,
)
from reports.core.measurements import (
    Answer,
    Asked,
    Key,
    Measured,
    OpenMeasure,
    SettledPair,
    Sorted,
    asked_of,
    decided,
    measured,
    settled_pairs,
    sorted_instances,
    with_decided,
)
from reports.exclusions.objections import declared_rules, objections
from reports.exclusions.rules import Objection, Rule
from reports.scores.shape import METHODS

__all__ = ["SEED", "CampaignInfo", "Inputs", "JudgeInfo", "choose_judge", "collect"]
SEED = 20261121
T = TypeVar("T")
Row = TypeVar(
    "Row",
    bound=OutputRow
    | Vote
    | ExpertLabel
    | DrawnItem
    | Decision
    | Asked
    | Measured
    | Sorted
    | Unreleased
    | Undrawable
    | Reached
    | OpenMeasure
    | Answer
    | SettledPair,
)


@dataclass(frozen=True)
class Inputs:
    """One track of one release under one condition, with all its labels.

    What is listed in _LATER (decisions, measures, strata, rules with the objections they count, labels in sight of
    a verdict, what was not released or could not be drawn, what people said to open cases), the frozen tuple, a
    condition other than the usual one and audit methods other than the first are written only where there is any, so
    that artifacts from before there was such a thing still verify. `labels` are those that were given independently.
    """

    release: str
    release_sha256: str
    frozen: bool
    is_sample: bool
    protocol: str
    track: str
    seed: int
    outputs: tuple[OutputRow, ...]
    judge: JudgeInfo | None
    votes: tuple[Vote, ...]
    campaigns: tuple[CampaignInfo, ...]
    labels: tuple[ExpertLabel, ...]
    draws: tuple[DrawnItem, ...]
    decisions: tuple[Decision, ...] = ()
    asked: tuple[Asked, ...] = ()
    measured: tuple[Measured, ...] = ()
    rules: tuple[Rule, ...] = ()
    objections: tuple[Objection, ...] = ()
    strata: tuple[Sorted, ...] = ()
    in_sight: tuple[ExpertLabel, ...] = ()
    unreleased: tuple[Unreleased, ...] = ()
    frozen_tuple: TupleInfo | None = None
    condition: str = PLAIN
    methods: int = METHODS
    reached: tuple[Reached, ...] = ()
    open_measures: tuple[OpenMeasure, ...] = ()
    answers: tuple[Answer, ...] = ()
    settled: tuple[SettledPair, ...] = ()
    undrawable: tuple[Undrawable, ...] = ()

    @property
    def decided(self) -> dict[Key, float]:
        """What people decided about outputs that a measure leaves open."""
        return decided(self.answers, self.settled)

    @property
    def counted_measures(self) -> list[Measured]:
        """What was measured, with what people decided."""
        return with_decided(self.measured, self.decided)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values; rows as lists in field order to keep artifacts small."""
        return {
            **{key: getattr(self, key) for key in _PLAIN},
            "judge": asdict(self.judge) if self.judge else None,
            "campaigns": [campaign.as_json() for campaign in self.campaigns],
            **{key: rows_as_json(getattr(self, key)) for key in _ROWS},
            **{key: rows_as_json(rows) for key in _LATER if (rows := getattr(self, key))},
            **({"frozen_tuple": self.frozen_tuple.as_json()} if self.frozen_tuple else {}),
            **({"condition": self.condition} if self.condition else {}),
            **({"methods": self.methods} if self.methods != 1 else {}),
        }

    def only(self, systems: frozenset[str]) -> "Inputs":
        """The same without the outputs of other systems and their labels."""
        outputs = tuple(row for row in self.outputs if row.system in systems)
        kept = {row.subject for row in outputs}
        settled = tuple(row for row in self.settled if row.system in systems)
        pairs = {row.pair for row in settled}
        return replace(
            self,
            outputs=outputs,
            votes=tuple(row for row in self.votes if row.subject in kept),
            labels=tuple(row for row in self.labels if row.subject in kept),
            in_sight=tuple(row for row in self.in_sight if row.subject in kept),
            draws=tuple(row for row in self.draws if row.subject in kept),
            decisions=tuple(row for row in self.decisions if row.subject in kept),
            measured=tuple(row for row in self.measured if row.system in systems),
            unreleased=tuple(row for row in self.unreleased if row.system in systems),
            undrawable=tuple(row for row in self.undrawable if row.subject in kept),
            reached=tuple(row for row in self.reached if row.subject in kept),
            open_measures=tuple(row for row in self.open_measures if row.system in systems),
            settled=settled,
            answers=tuple(row for row in self.answers if row.pair in pairs),
        )

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Inputs":
        """The inverse of as_json. Raises ValueError naming what does not fit."""
        try:
            rows: dict[str, Any] = {
                key: rows_from_json(kind, document[key], key) for key, kind in _ROWS.items()
            }
            for key, kind in _LATER.items():
                rows[key] = rows_from_json(kind, document.get(key, []), key)
            judge = JudgeInfo(**document["judge"]) if document["judge"] else None
            campaigns = tuple(CampaignInfo(**campaign) for campaign in document["campaigns"])
            rows["frozen_tuple"] = TupleInfo(**found) if (found := document.get("frozen_tuple")) else None
            rows["condition"] = document.get("condition", PLAIN)
            methods = document.get("methods", 1)
            if methods not in range(1, METHODS + 1):
                raise ValueError(f"the methods {methods!r} are not known here; known are 1 to {METHODS}")
            rows["methods"] = int(str(methods))
            rest: dict[str, Any] = {key: document[key] for key in _PLAIN}
        except (KeyError, TypeError) as error:
            raise ValueError(f"the inputs are not complete: {error}") from error
        return cls(**rest, **rows, judge=judge, campaigns=campaigns)


_ROWS: dict[str, Any] = {"outputs": OutputRow, "votes": Vote, "labels": ExpertLabel, "draws": DrawnItem}
_LATER: dict[str, Any] = {
    "decisions": Decision,
    "asked": Asked,
    "measured": Measured,
    "rules": Rule,
    "objections": Objection,
    "strata": Sorted,
    "in_sight": ExpertLabel,
    "unreleased": Unreleased,
    "reached": Reached,
    "open_measures": OpenMeasure,
    "answers": Answer,
    "settled": SettledPair,
    "undrawable": Undrawable,
}
_PLAIN = ("release", "release_sha256", "frozen", "is_sample", "protocol", "track", "seed")


def collect(
    *,
    release: Release,
    track: str = "raw",
    judge: str = "",
    seed: int = SEED,
    frozen_tuple: str = "",
    condition: str = PLAIN,
) -> Inputs:
    """Read what the score of one track depends on, under one condition.

    `judge` is a judge version's label; it may be left out when only one judge has spoken. `frozen_tuple` names
    the tuple whose runs are meant ("none" for those of no tuple); it may be left out when all are of one. Raises
    Refused when the track has no outputs, or when the judge or the tuple has to be named.
    """
    outputs = _in_order(output_rows(release, track, condition))
    if not outputs:
        under = f" under condition {condition}" if condition else ""
        raise Refused(f"{release.name} has no outputs on track {track}{under}.", code="no_outputs")
    entries, systems = one_tuple(release, track, frozen_tuple, condition)
    chosen = choose_judge(release, track, judge, condition)
    rules = declared_rules(release)
    unreleased = unreleased_rows(release, track, condition)
    independent, in_sight = expert_labels(release, track, condition)
    found = measured(release, track, unreleased, condition)
    reached = found.reached if found.reached is not None else reached_stages(release, track, condition)
    answers, settled = settled_pairs(release, found.pairs)
    campaigns = sorted(graded_campaigns(release, track, condition), key=lambda campaign: campaign.slug)
    audited = any(campaign.kind == CampaignKind.AUDIT for campaign in campaigns)
    inputs = Inputs(
        release=release.name,
        release_sha256=release.sha256,
        frozen=release.frozen_at is not None,
        is_sample=release.is_sample,
        protocol=release.benchmark.protocol,
        track=track,
        seed=seed,
        outputs=outputs,
        judge=judge_info(chosen) if chosen else None,
        votes=_in_order(judge_votes(release, track, chosen, condition)) if chosen else (),
        campaigns=tuple(campaign_info(campaign) for campaign in campaigns),
        labels=_in_order(independent),
        draws=_in_order(drawn_items(release, track, condition)),
        decisions=_in_order(primary_decisions(release, track, condition)),
        asked=_in_order(asked_of(release)),
        measured=_in_order(found.rows),
        rules=tuple(rules),
        objections=tuple(objections(release)) if rules else (),
        strata=_in_order(sorted_instances(release)),
        in_sight=_in_order(in_sight),
        unreleased=_in_order(unreleased),
        frozen_tuple=entries,
        condition=condition,
        reached=_in_order(reached),
        open_measures=_in_order(found.opened),
        answers=_in_order(answers),
        settled=_in_order(settled),
        undrawable=_in_order(undrawable_outputs(release, track, condition)) if audited else (),
    )
    return inputs.only(systems) if systems else inputs


def collect_chosen(chosen: Chosen) -> Inputs:
    """The same for the track, condition, judge and tuple that a request named."""
    return collect(
        release=chosen.release,
        track=chosen.track,
        judge=chosen.judge,
        frozen_tuple=chosen.frozen_tuple,
        condition=chosen.condition,
    )


def _in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Sorted by code point: databases sort text each in their own way, and equal rows must give equal bytes."""
    return tuple(sorted(rows, key=lambda row: tuple(vars(row).values())))


def choose_judge(release: Release, track: str, label: str, condition: str) -> Judge | None:
    """The judge whose verdicts are scored; None when no judge has spoken and none was named."""
    judges = list(judges_with_verdicts(release, track, condition))
    named = [judge for judge in judges if judge.label == label] if label else judges
    if len(named) == 1:
        return named[0]
    known = ", ".join(judge.label for judge in judges) or "none"
    if label:
        raise Refused(
            f"No verdicts of {label} on {release.name} ({track}); there are: {known}.", code="no_judge"
        )
    if named:
        raise Refused(f"Several judges have verdicts; name one of {known}.", code="judge_ambiguous")
    return None


def rows_as_json(rows: Iterable[Any]) -> list[list[Any]]:
    """Each row as the list of its fields, in the order in which its dataclass declares them."""
    return [list(vars(row).values()) for row in rows]


def rows_from_json(kind: type[T], table: Any, name: str) -> tuple[T, ...]:
    """The inverse of rows_as_json. Raises ValueError naming the row and the column that does not fit."""
    if not isinstance(table, list):
        raise ValueError(f"{name}: expected a list of rows")
    hints = get_type_hints(kind)
    columns = [(field.name, hints[field.name]) for field in fields(kind)]  # type: ignore[arg-type]
    for at, row in enumerate(table):
        if not isinstance(row, list) or len(row) != len(columns):
            raise ValueError(f"{name}[{at}]: expected {', '.join(column for column, _ in columns)}")
        for (column, wanted), value in zip(columns, row, strict=True):
            # a whole number is a float too, as JSON has one kind of number; true and false are not numbers
            if type(value) is not wanted and (wanted is not float or type(value) is not int):
                raise ValueError(f"{name}[{at}].{column}: expected {wanted.__name__}, found {value!r}")
    return tuple(kind(*row) for row in table)
