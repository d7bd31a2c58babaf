"""Rules of a rubric: what one answer demands of another answer or of the comments in the text. Pure.

A rule stops a submission that contradicts itself. The reviewer sees its message where something has to change.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from stats.core.scale import Scale, value_words

SEVERITIES = ("fatal", "major", "minor", "typo")  # of comments in the text, the most serious first
COMMENTS = "comments"  # where a problem with them is shown
MAX_RULES, MAX_MESSAGE = 50, 500
_FIELDS = {
    "question": str,
    "values": list,
    "then": str,
    "allowed": list,
    "comments_at_least": str,
    "comments_at_most": str,
    "message": str,
}


class RuleError(ValueError):
    """A rule that does not fit its rubric; the message is for the author of the rubric."""


@dataclass(frozen=True)
class Rule:
    """With one of `values` as the answer to `question`, one of three things is demanded.

    The answer to the question `then` is one of `allowed`, or some comment is as serious as `comments_at_least`, or
    none is more serious than `comments_at_most`.
    """

    question: str
    values: tuple[str, ...]
    then: str = ""
    allowed: tuple[str, ...] = ()
    comments_at_least: str = ""
    comments_at_most: str = ""
    message: str = ""

    @property
    def content(self) -> dict[str, object]:
        """Plain JSON with the fields that say something, from which `rule_from` makes an equal rule."""
        plain = {name: getattr(self, name) for name in _FIELDS}
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in plain.items() if value
        }

    @property
    def place(self) -> str:
        """The question at which a reviewer sees that the rule is broken, or the comments."""
        return self.then or COMMENTS

    def words(self, answer: str) -> str:
        """What the reviewer who gave this answer reads."""
        if self.message:
            return self.message
        given = f"You answered “{value_words(answer)}”."
        if self.then:
            return f"{given} Then this must be {_either(self.allowed)}."
        if self.comments_at_least:
            return f"{given} Please mark at least one passage as {_either(_up_to(self.comments_at_least))}."
        return f"{given} Then no comment can be more serious than {self.comments_at_most}."

    def is_broken(self, answers: Mapping[str, str], severities: Collection[str]) -> bool:
        """Whether these answers and comments contradict the rule; an answer that is missing contradicts nothing."""
        if answers.get(self.question) not in self.values:
            return False
        if self.then:
            return bool(answers.get(self.then)) and answers[self.then] not in self.allowed
        if self.comments_at_least:
            return not set(_up_to(self.comments_at_least)) & set(severities)
        return bool(set(_up_to(self.comments_at_most)[:-1]) & set(severities))


def rule_from(table: Any, scales: Mapping[str, Scale]) -> Rule:
    """The rule of a rubric file, for questions with these scales; raises RuleError."""
    if not isinstance(table, Mapping):
        raise RuleError("a rule is a table")
    for name, value in table.items():
        if name not in _FIELDS:
            raise RuleError(f"a rule has no field {name!r}, only {', '.join(_FIELDS)}")
        if type(value) is not _FIELDS[name]:
            raise RuleError(f"{name} must be a {_FIELDS[name].__name__}")
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    rule = Rule(**({"question": "", "values": ()} | plain))
    demands = [name for name in ("then", "comments_at_least", "comments_at_most") if getattr(rule, name)]
    if len(demands) != 1:
        raise RuleError("a rule demands exactly one of then, comments_at_least and comments_at_most")
    _require_values(rule.question, rule.values, scales)
    if rule.then:
        _require_values(rule.then, rule.allowed, scales)
        if rule.then == rule.question:
            raise RuleError(f"the rule about {rule.question} demands something of the same question")
    elif rule.allowed:
        raise RuleError("allowed belongs to then")
    for severity in filter(None, (rule.comments_at_least, rule.comments_at_most)):
        if severity not in SEVERITIES:
            raise RuleError(f"{severity!r} is not one of {', '.join(SEVERITIES)}")
    if len(rule.message) > MAX_MESSAGE:
        raise RuleError(f"a message has at most {MAX_MESSAGE} characters")
    return rule


def broken(
    rules: Sequence[Rule], answers: Mapping[str, str], severities: Collection[str]
) -> Iterator[tuple[str, str]]:
    """(place, message) of every rule that answers, by question, and comments contradict."""
    for rule in rules:
        if rule.is_broken(answers, severities):
            yield rule.place, rule.words(answers[rule.question])


def contradictions(rules: Sequence[Rule]) -> Iterator[str]:
    """Pairs of rules that no answer can satisfy, in words."""
    for one, other in combinations(rules, 2):
        shared = [value for value in one.values if one.question == other.question and value in other.values]
        if not shared:
            continue
        at_once = f"With “{value_words(shared[0])}” as the answer to {one.question}"
        if one.then and one.then == other.then and not set(one.allowed) & set(other.allowed):
            yield f"{at_once}, two rules leave no answer to {one.then}."
        least = one.comments_at_least or other.comments_at_least
        most = one.comments_at_most or other.comments_at_most
        if least and most and SEVERITIES.index(least) < SEVERITIES.index(most):
            yield f"{at_once}, one rule demands a {least} comment and another forbids it."


def _require_values(key: str, values: Sequence[str], scales: Mapping[str, Scale]) -> None:
    if key not in scales:
        raise RuleError(f"there is no question {key!r}")
    scale = scales[key]
    if scale.stepwise or not scale.has_values:
        raise RuleError(
            f"a rule can only be about a question that has one value as its answer; {key} has not"
        )
    if not values:
        raise RuleError(f"the rule names no value of {key}")
    for value in values:
        if value not in scale.values:
            raise RuleError(f"{value!r} is not one of {', '.join(scale.values)}, the values of {key}")


def _up_to(severity: str) -> tuple[str, ...]:
    """The severities down to this one, the most serious first."""
    return SEVERITIES[: SEVERITIES.index(severity) + 1]


def _either(values: Sequence[str]) -> str:
    return " or ".join(f"“{value_words(value)}”" for value in values)
