"""Which rows of a release's label table a request asks for, as conditions on answers and verdicts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.db.models import Q

from accounts.refusal import Refused
from judging.models import Judge
from reports.labels.cells import (
    DECISION_PATHS,
    EXPERT_PATHS,
    INSTANCE_PATHS,
    VERDICT_OF_STEP_PATHS,
    VERDICT_PATHS,
)
from stats.tables.labels import ADJUDICATOR, SHOWN_BLIND
from stats.tables.names import same_name

_COLUMNS = ("question", "domain", "state", "value", "system", "stratum", "instance", "track", "rater")
FILTERS = ("rater_kind", *_COLUMNS, "judge")


def _fields(paths: Mapping[str, str], *without: str) -> dict[str, str]:
    return {column: paths[column] for column in _COLUMNS if column not in without}


_ANSWER_FIELDS = _fields(EXPERT_PATHS)
# The value of a decision on a pair is known to its row only; see reports/labels/rows.py.
_DECISION_FIELDS = _fields(DECISION_PATHS, "state", "value", "stratum")
_VERDICT_FIELDS = _fields(VERDICT_PATHS, "stratum")
# A verdict on a step has a question and a value of its own, and is always answered.
_STEP_FIELDS = {
    **_fields(VERDICT_OF_STEP_PATHS, "stratum", "state"),
    "question": "question",
    "value": "label",
}
_INSTANCE_FIELDS = _fields(INSTANCE_PATHS, "stratum", "system", "track")


@dataclass(frozen=True)
class LabelFilter:
    """Columns with the values that are wanted; several values of one column are alternatives.

    `judge` names judge versions and leaves expert labels and decisions alone; `stratum` is a column of experts
    only.
    """

    wanted: Mapping[str, Collection[str]] = field(default_factory=dict)

    def answers(self) -> Q | None:
        """The condition on expert answers; None when none of them is wanted."""
        if not self._wants("expert"):
            return None
        return _condition(_ANSWER_FIELDS, self.wanted)

    def decisions(self) -> Q | None:
        """The condition on decisions but for their value; None when none of them is wanted."""
        states = self.wanted.get("state", ("answered",))
        if not self._wants(ADJUDICATOR) or "answered" not in states or "stratum" in self.wanted:
            return None
        return _condition(_DECISION_FIELDS, self.wanted)

    def verdicts(self) -> Q | None:
        """The condition on verdicts about outputs; None when none of them is wanted."""
        return self._said(_VERDICT_FIELDS)

    def instance_verdicts(self) -> Q | None:
        """The condition on verdicts about instances, which have no system and no track; None likewise."""
        return self._said(_INSTANCE_FIELDS)

    def steps(self) -> Q | None:
        """The condition on verdicts about steps of outputs; None likewise."""
        if "answered" not in self.wanted.get("state", ("answered",)):
            return None
        wanted = {column: values for column, values in self.wanted.items() if column != "state"}
        return LabelFilter(wanted)._said(_STEP_FIELDS, to="verdict__")

    def _said(self, fields: Mapping[str, str], to: str = "") -> Q | None:
        given = dict(self.wanted)
        known = {*fields, "judge", "rater_kind"}
        if not self._wants("judge") or not known.issuperset(given):
            return None
        if "unavailable" in given.get("state", ()):
            given["state"] = {*given["state"], "unparsed"}  # how the table shows an unparsed reply
        found = _condition(fields, given)
        if "judge" in given:
            labels = given["judge"]
            judges = [judge.pk for judge in Judge.objects.all() if judge.label in labels]
            found &= Q(**{f"{to}judge__in": judges})
        return found

    def _wants(self, kind: str) -> bool:
        return kind in self.wanted.get("rater_kind", (kind,))


def _condition(fields: Mapping[str, str], given: Mapping[str, Collection[str]]) -> Q:
    return Q(*((f"{name}__in", sorted(given[column])) for column, name in fields.items() if column in given))


def label_filter(asked: Mapping[str, str], *, identities: bool) -> LabelFilter:
    """Read the filters of a request, values separated by commas.

    Raises Refused when a blinded table is to be filtered by what blinding hides.
    """
    telling = [column for column in FILTERS if column in asked and column not in SHOWN_BLIND]
    if telling and not identities:
        raise Refused(
            f"A blinded table cannot be filtered by {telling[0]}; add identities=1.",
            code="blinded",
            field=telling[0],
        )
    wanted = {column: frozenset(asked[column].split(",")) for column in FILTERS if column in asked}
    if "rater" in wanted:
        wanted["rater"] |= {same_name(name) for name in wanted["rater"]}
    return LabelFilter(wanted)
