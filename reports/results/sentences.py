"""How to read the results: sentences made by rules, so that equal numbers give equal words. Pure.

No sentence says that a system is the best. Two systems are told apart if the paired interval of their difference leaves
out zero, all of these intervals holding at once; otherwise they are not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from reports.results.graded import Agreeing
from reports.scores.shape import Exclusion

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FEW = 4  # pairs that a sentence names
_MOST = 0.75


@dataclass(frozen=True)
class Sentence:
    """`lead` is the finding, `rest` its evidence."""

    lead: str
    rest: str = ""


def told_apart_words(
    letters: Sequence[str], apart: Mapping[tuple[str, str], bool | None], problems: int
) -> Sentence | None:
    """Who can be told apart. `apart` says it of pairs in the order of `letters`; None where nothing was compared."""
    known = {pair: found for pair in combinations(letters, 2) if (found := apart.get(pair)) is not None}
    if not known:
        return None
    told = [pair for pair, found in known.items() if found]
    on = f"With {count(problems)} problem{'s' * (problems != 1)}"
    if not told:
        who = and_list(letters) if len(letters) <= _FEW else f"no two of the {count(len(letters))} systems"
        return Sentence(f"{on}, {who} can{'' if len(letters) > _FEW else 'not'} be told apart.")
    names = [f"{one} from {two}" for one, two in told[:_FEW]]
    more = len(told) - _FEW
    if more > 0:
        names.append(f"{count(more)} more pair{'s' * (more != 1)}")
    rest = f"Told apart: {and_list(names)}."
    # the first system and those next to it that nothing separates from any other of them
    group: list[str] = []
    for letter in letters:
        if any(known.get((one, letter)) is not False for one in group):
            break
        group.append(letter)
    if len(group) > 1:
        return Sentence(f"{on}, {and_list(group)} cannot be told apart.", rest)
    if len(told) == len(known):
        who = and_list(letters) if len(letters) == 2 else f"any two of the {count(len(letters))} systems"
        return Sentence(f"{on}, {who} can be told apart.")
    return Sentence(f"{on}, some systems can be told apart.", rest)


def left_out_words(rule: Exclusion) -> Sentence:
    """What the primary exclusion rule leaves out, and whether it was declared when results could be read."""
    counts = f"{rule.instances['excluded']} of {rule.instances['all']} problems"
    late = " It was declared when results could be read already." if rule.late else ""
    return Sentence("Left out by a rule:", f"{counts}, by the rule {rule.rule}.{late}")


def judge_errors_words(tp: int, fp: int, fn: int, tn: int) -> Sentence | None:
    """In which direction the judge errs on the outputs that experts graded too."""
    if tp + fp + fn + tn == 0:
        return None
    if fp and not fn + tn:
        lead = "Only what the judge passed can be compared:"
        return Sentence(lead, f"experts did not pass {fp} of {tp + fp}.")
    if fn and not tp + fp:
        lead = "Only what the judge turned down can be compared:"
        return Sentence(lead, f"experts passed {fn} of {fn + tn}.")
    passed = f"It passed {fp} of the {fp + tn} that experts did not pass"
    failed = f"it turned down {fn} of the {tp + fn} that experts passed"
    if fp and not fn:
        lead = "Here the judge erred only by being too kind."
        return Sentence(lead, f"{passed}, and none of its rejections was wrong.")
    if fn and not fp:
        lead = "Here the judge erred only by being too strict."
        return Sentence(lead, f"It{failed[2:]}, and nothing that it passed was wrong.")
    if fp and fn:
        return Sentence("The judge errs both ways.", f"{passed}, and {failed}.")
    return Sentence("The judge made no error here.", f"It agrees with the experts on all {tp + tn}.")


def unanimity_words(found: Agreeing, what: str, alpha: str, graded: int) -> Sentence | None:
    """How far referees agree on `what`: "solved or not", say. `alpha` is the primary coefficient in words or "".

    Of `graded` proofs some have fewer than two answers that count: one referee alone, or others who abstained.
    """
    if not found.outputs:
        return None
    share = found.unanimous / found.outputs
    lead = "Referees often differ"
    if share == 1:
        lead = "Referees agree"  # not that they never differ: there may be levels on either side of `what`
    elif share >= _MOST:
        lead = "Referees agree on most proofs"
    rest = f"{found.unanimous} of {found.outputs} are unanimous on {what}"
    if fewer := graded - found.outputs:
        rest += f" ({fewer} more {'has' if fewer == 1 else 'have'} fewer than two answers that count)"
    return Sentence(f"{lead}:", f"{rest}; {alpha}." if alpha else f"{rest}.")


def by_one_level_words(distances: Sequence[int]) -> str:
    """How far apart two differing answers are, `distances` in levels; "" where none differ."""
    differing = [distance for distance in distances if distance]
    if not differing:
        return ""
    near = sum(distance == 1 for distance in differing)
    return f"Where two referees differ, it is by one level in {near} of {len(differing)} cases."


def count(number: int) -> str:
    """Small numbers in words."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def and_list(words: Sequence[str]) -> str:
    """ "A, B and C"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
