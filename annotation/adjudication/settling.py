"""How far the answers to an item agree, and what a decision about them must say. Pure: values in and out.

A question is agreed when all gave the same value, split when they gave several, and open when nobody could judge it.
Those who found that it cannot be judged differ from those who judged it, as in scores and audits; those who say
nothing, because the text was unreadable, say, differ from nobody. A campaign may ask for less: then different values
agree if all or none of them count as solved. An item is incomplete while a planned grade is missing, whatever the
others say.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from benchmark.rubrics import NOT_ASSESSED
from stats.core.scale import Scale, value_words

ABSTAINED = "abstain"  # no scale has such a value
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class State(StrEnum):
    """Of a question, or of a whole item."""

    INCOMPLETE = "incomplete"
    SPLIT = "split"
    OPEN = "open"
    AGREED = "agreed"
    SETTLED = "settled"


@dataclass(frozen=True)
class Said:
    """One grader's answer to one question: ABSTAINED or "" where they could not judge it, by the answer's state."""

    grader: int
    question: str
    step: str
    value: str


def judged(values: Iterable[str]) -> set[str]:
    """The distinct values of those who judged."""
    return set(values) - {"", NOT_ASSESSED, ABSTAINED}


def question_state(values: Sequence[str], scale: Scale | None = None) -> State:
    """`values` are the answers of all graders to one question, as `Said` has them.

    With `scale`, whose successes say what is solved, only different verdicts are a split. A step that comes after
    everybody's first error is assessed by nobody, and nobody differs about it.
    """
    different = judged(values)
    said = different | ({ABSTAINED} if ABSTAINED in values else set())
    verdicts = {value in scale.success for value in said} if scale and scale.passes else said
    if len(verdicts) > 1:
        return State.SPLIT
    return State.AGREED if different or NOT_ASSESSED in values else State.OPEN


def tally_words(values: Sequence[str]) -> str:
    """ "2 minor, 1 major", "2 × 4, 1 × 5": what graders said, the commonest first, with how many could not judge."""
    given = Counter(value for value in values if value not in ("", ABSTAINED))
    said = [
        f"{n} × {value}" if value[0].isdigit() else f"{n} {value_words(value)}"
        for value, n in given.most_common()
    ]
    if silent := len(values) - given.total():
        said.append(f"{silent} could not judge")
    return ", ".join(said)


def split_words(values: Sequence[str], scale: Scale) -> str:
    """What graders said, and on what they differ: only in the level, or on whether it is solved."""
    different = judged(values)
    if len(different) < 2:
        return tally_words(values)
    verdicts = {value in scale.success for value in different}
    how = ""
    if scale.passes:
        how = "; they differ on solved or not" if len(verdicts) > 1 else "; they differ in the level alone"
    return f"{tally_words(values)}{how}"


def item_state(
    answers: Mapping[tuple[str, str], Sequence[str]],
    *,
    missing: int,
    decided: Iterable[tuple[str, str]],
    scales: Mapping[str, Scale] = MappingProxyType({}),
) -> State:
    """The state of an item with `answers` by question and step, `missing` grades and `decided` questions.

    `scales` are those of the questions of which only different verdicts are a split.
    """
    if missing > 0:
        return State.INCOMPLETE
    settled = set(decided)
    left = {
        question_state(values, scales.get(key[0])) for key, values in answers.items() if key not in settled
    }
    for state in (State.SPLIT, State.OPEN):
        if state in left:
            return state
    return State.SETTLED if settled else State.AGREED


def overrules_everyone(value: str, values: Sequence[str]) -> bool:
    """Whether `value` is the answer of none of those who gave one."""
    given = judged(values)
    return bool(given) and value not in given


def letter(index: int) -> str:
    """The name of the index-th grader of an item (from 0) on pages that hide who they are."""
    return LETTERS[index] if index < len(LETTERS) else f"{LETTERS[index // 26 - 1]}{LETTERS[index % 26]}"
