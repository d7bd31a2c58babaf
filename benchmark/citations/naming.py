"""People and theorems that an anchor names.

A capital word is a name unless it is a common word that opens a sentence, part of a standard term or an adjective.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from benchmark.citations.flags import Leak, LeakFlag, Spans
from benchmark.citations.folding import word_set, words
from benchmark.citations.names import Name
from benchmark.citations.theorem_names import DESCRIPTIVE, EPONYMS, NOUNS, STRUCTURES, TITLE_NOUNS
from benchmark.citations.titles import singular
from benchmark.citations.wordspans import Word, joined

_COMMON = word_set(
    "an as at be by case day do east even ever fine first general good great he her here hill his if in is it long "
    "love many may most next no north now of on or our out park power price quite rose see small so south still stone "
    "strong such than that the then there these this those to under up use was we well west what when while wise with "
    "wood yet you young following application apply assume because both combine compare complete consequence consider "
    "construct counter define denote existence finally for from given hence identify indeed instead invoke key known "
    "later main moreover necessary note observe obtain one our particular prove proof recall recently repeat replace "
    "required return since some suppose surface therefore thus translate turn two upper used using via where whereas "
    "theorem lemma corollary proposition conjecture section definition example remark main basic classical standard"
)
_LINKS = re.compile(r"^\s?(?:[-–—]{1,3}|\\?&|,)?\s?$")
_BEFORE_A_NAME = word_set("of by to from following after due see using via like in")
_BEHIND_A_NAME = word_set(
    "proved proves prove showed shows show shown constructed constructs established establishes obtained obtains "
    "introduced introduces identified gave gives found studied computed conjectured discovered characterized "
    "characterised classified"
)


def authors_named(found: Sequence[Word], names: Iterable[Name]) -> Iterator[LeakFlag]:
    """The authors of the citation where their surnames mean persons."""
    keys = {key: name.surname for name in names for key in name.keys if len(key) > 1}
    at = 0
    while at < len(found):
        length, surname = _surname_at(found, at, keys)
        if length:
            last = found[at + length - 1]
            after = found[at + length] if at + length < len(found) else None
            if not _is_term(last, after):
                doubtful = found[at].opens and found[at].folded in _COMMON and not last.possessive
                reason = f"the author {surname}" + (", or the common word" if doubtful else "")
                yield LeakFlag(Leak.AUTHOR, found[at].start, last.end, reason, certain=not doubtful)
        at += length or 1


def _surname_at(found: Sequence[Word], at: int, keys: dict[str, str]) -> tuple[int, str]:
    """How many words from `at` on make a surname, the longest first, and which."""
    if not found[at].capital and found[at].folded not in ("van", "von", "de", "del", "el", "di", "da", "le"):
        return 0, ""
    for length in (4, 3, 2, 1):
        group = found[at : at + length]
        surname = keys.get(joined(group), "") if len(group) == length else ""
        # over a space or hyphen, and over the space that a lost accent has left behind
        whole = all(
            word.gap in (" ", "-", "~") or (word.accented and not word.gap.strip()) for word in group[:-1]
        )
        if surname and whole and any(word.capital for word in group):
            return length, surname
    return 0, ""


def _is_term(name: Word, after: Word | None) -> bool:
    """Whether a name is part of a standard term: Hilbert space, Gibbs measure."""
    if after is None or name.possessive or not _LINKS.match(name.gap):
        return False
    return not after.capital and after.folded in STRUCTURES


def theorems_named(found: Sequence[Word], title: str) -> Iterator[LeakFlag]:
    """Theorems by a person's name, by a textbook name, or by the name that the source's title gives them."""
    titled = set(pairwise(words(title)))
    taken = -1
    for at, word in enumerate(found):
        if at <= taken:
            continue
        end, reason = _theorem_at(found, at, titled)
        if end:
            taken = end - 1
            yield LeakFlag(Leak.THEOREM, word.start, found[end - 1].end, reason)


def _theorem_at(found: Sequence[Word], at: int, titled: set[tuple[str, str]]) -> tuple[int, str]:
    for names, what in ((EPONYMS, "an eponym of a theorem"), (DESCRIPTIVE, "the name of a theorem")):
        for length in (5, 4, 3, 2, 1):
            group = tuple(word.folded for word in found[at : at + length])
            same = (*group[:-1], singular(group[-1])) if group else ()
            if {group, same} & names and (names is DESCRIPTIVE or found[at].capital):
                return at + len(group), what
    named = _named_result(found, at)
    if named:
        return named, "a result called after a person"
    pair = tuple(word.folded for word in found[at : at + 2])
    if len(pair) == 2 and pair[1] in TITLE_NOUNS and pair in titled and found[at].gap == " ":
        return at + 2, "a result that the source's title names"
    return 0, ""


def _named_result(found: Sequence[Word], at: int) -> int:
    """The end of a run of names that a noun like theorem follows, at once or behind a word or two; 0 if none."""
    if not _is_name(found[at]):
        return 0
    end = at + 1
    while end < len(found) and end - at < 6 and _is_name(found[end]) and _LINKS.match(found[end - 1].gap):
        end += 1
    last = found[end - 1]
    if not last.possessive and not re.fullmatch(r"\s", last.gap):
        return 0
    if found[at].opens and end == at + 1 and not last.possessive and found[at].folded in _COMMON:
        return 0
    reach = 3 if last.possessive else 2
    for noun in range(end, min(end + reach, len(found))):
        if found[noun].folded in NOUNS and (noun == end or not found[noun].capital):
            return noun + 1
        if found[noun].capital or len(found[noun].folded) < 4 or found[noun].folded in _BEHIND_A_NAME:
            return 0
        if not re.fullmatch(r"[\s-]", found[noun].gap):
            return 0
    return 0


def _is_name(word: Word) -> bool:
    """A capital word that can be a person's: not Gaussian or Noetherian, which are adjectives."""
    plain_word = word.folded not in _COMMON and word.folded not in NOUNS
    return word.capital and len(word.folded) > 2 and plain_word and not word.folded.endswith(("ian", "ean"))


def other_names_named(
    found: Sequence[Word], flags: Sequence[LeakFlag], *, unknown: bool
) -> Iterator[LeakFlag]:
    """People to whom something is attributed and who were not flagged; a doubt if the authors are not known."""
    taken = Spans((flag.start, flag.end) for flag in flags if flag.kind == Leak.AUTHOR or not unknown)
    behind = 0  # the end of the list of names found last
    for at, word in enumerate(found):
        if not _is_name(word) or word.start in taken or word.start < behind:
            continue
        after = found[at + 1] if at + 1 < len(found) else None
        if _is_term(word, after) or not _is_attributed(found, at):
            continue
        end = at  # of a list of names: Fontes, Isopi and Newman
        while end + 1 < len(found) and _LINKS.match(found[end].gap):
            step = 2 if found[end + 1].folded == "and" else 1
            if end + step >= len(found) or not _is_name(found[end + step]):
                break
            end += step
        behind = found[end].end
        kind, reason = Leak.OTHER_NAME, "another person"
        if unknown:
            kind, reason = Leak.AUTHOR, "a person, and the citation does not say who its authors are"
        yield LeakFlag(kind, word.start, behind, reason, certain=False)


def _is_attributed(found: Sequence[Word], at: int) -> bool:
    """By Wong; Wong proves; Wong's argument."""
    before = found[at - 1] if at else None
    after = found[at + 1] if at + 1 < len(found) else None
    if found[at].possessive:
        return True
    if before and before.folded in _BEFORE_A_NAME and re.fullmatch(r"\s", before.gap):
        return (
            after is None or not re.fullmatch(r"[\s-]", found[at].gap) or after.folded in word_set("and et")
        )
    return bool(after and after.folded in _BEHIND_A_NAME and re.fullmatch(r"\s", found[at].gap))
