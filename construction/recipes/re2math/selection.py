"""The instances of an evaluation set: filters, a quality key, and a quota for every domain. Pure.

The published recipe gives the published Eval-200, in its order, from the 860 rows that it was drawn from.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from benchmark.overlaps import cluster_of
from benchmark.protocols.re2math.citing import passage_of_gap
from benchmark.protocols.re2math.schema import ProofGap
from construction.recipes.passages import Drop
from construction.recipes.re2math.recipe import Points, Recipe

_THEOREM_LIKE = frozenset(("theorem", "lemma", "proposition", "corollary", "criterion"))
_BROKEN = (
    " heta_",
    " rac{",
    " igcap",
    " hight",
    " ext{",
    " imes B o ",
)  # control words that lost "\t", "\f" ...
_NO_WITNESS = re.compile(
    r"\\end\{equation\}|\\(?:cite|thref|eqref|label)|\\cf|c\.f\.|so by theorem|by theorem \d|then and|then let"
    r"|we may assume|we set|it is well-known that|\AIf Changing",
    re.IGNORECASE,
)
_GENERIC = (
    "to state our main results", "the following result", "under the current proof hypotheses", "the idea is to",
    "in fact, locally", "which slightly rephrased shows", "this complex is also denoted", "if is trivial",
    "to show that", "we follow", "recall that", "in fact,",
)  # fmt: skip


@dataclass(frozen=True)
class Standing:
    """One instance: `code` and `sentence` say why it was not selected, and are "" if it was.

    `points` are those of its quality, rule by rule, in the order of the rules; none for an instance that a filter
    refused. `rank` counts from 1 among the instances of its domain that passed the filters.
    """

    instance: str
    domain: str
    paper: str
    code: str = ""
    sentence: str = ""
    points: tuple[Points, ...] = ()
    rank: int = 0
    is_strict: bool = False


class Shortage(Drop):
    """A domain that cannot fill its quota."""


@dataclass(frozen=True)
class Selection:
    """`chosen` are the instances in their order, none if a domain falls short. `standings` has every row, by name."""

    chosen: tuple[str, ...]
    shortages: tuple[Shortage, ...]
    standings: tuple[Standing, ...]
    supply: dict[str, int]  # what each domain could give, up to its quota

    @property
    def passed(self) -> Counter[str]:
        """How many instances of each domain pass the filters."""
        return Counter(standing.domain for standing in self.standings if standing.rank)


def select(gaps: Iterable[ProofGap], recipe: Recipe) -> Selection:
    """Walks down each domain by quality until its quota is full. The order of the rows does not matter."""
    standings: list[Standing] = []
    ranked: list[ProofGap] = []
    for gap in gaps:
        if drop := _filtered(gap, recipe):
            standings.append(
                Standing(gap.instance_id, gap.strata.domain, paper_of(gap, recipe), drop.code, drop.sentence)
            )
        else:
            ranked.append(gap)
    ranked.sort(
        key=lambda gap: (
            sum(points for _, points in quality(gap, recipe)), gap.y.restated_in_citing_paper, bool(gap.z.doi),
            bool(gap.z.arxiv_id), gap.y.reference_tool_type in _THEOREM_LIKE, len(_locator(gap)), len(_witness(gap)),
            len(_context(gap)), gap.instance_id,
        ),
        reverse=True,
    )  # fmt: skip
    chosen: list[str] = []
    supply: dict[str, int] = {}
    seen: dict[str, str] = {}  # passage -> the instance that has it
    of_same_paper: defaultdict[str, list[ProofGap]] = defaultdict(list)  # those that are selected
    for domain in recipe.domains:
        of_paper: Counter[str] = Counter()
        taken: list[str] = []
        for rank, gap in enumerate((gap for gap in ranked if gap.strata.domain == domain), start=1):
            paper, passage = paper_of(gap, recipe), passage_of_gap(gap)
            first = seen.setdefault(str(passage), gap.instance_id) if passage else gap.instance_id
            code = sentence = ""
            if recipe.is_normalised and first != gap.instance_id:
                code, sentence = "duplicate", f"It has the same passage as {first}."
            elif of_paper[paper] == recipe.cap:
                code, sentence = (
                    "paper_cap",
                    f"Already {recipe.cap} of its paper are selected, with more points.",
                )
            elif len(taken) == recipe.quota:
                code, sentence = "quota_full", f"{recipe.quota} of its domain stand before it."
            elif near := _near_duplicate(gap, of_same_paper[paper], recipe):
                code, sentence = "near_duplicate", f"Its witness is nearly that of {near.instance_id}."
            else:
                of_paper[paper] += 1
                of_same_paper[paper].append(gap)
                taken.append(gap.instance_id)
            points = tuple(quality(gap, recipe))
            lengths = (len(gap.x.anchor_hint.strip()), len(_witness(gap)), len(_context(gap)))
            strict = all(length >= least for length, least in zip(lengths, recipe.strict, strict=True))
            standings.append(Standing(gap.instance_id, domain, paper, code, sentence, points, rank, strict))
        chosen += taken
        supply[domain] = len(taken)
    short = tuple(
        Shortage("shortage", f"{domain} gives {found} of {recipe.quota}.")
        for domain, found in supply.items()
        if found < recipe.quota
    )
    by_name = tuple(sorted(standings, key=lambda standing: standing.instance))
    return Selection(() if short else tuple(chosen), short, by_name, supply)


def paper_of(gap: ProofGap, recipe: Recipe) -> str:
    """The paper that caps count: without the version, unless the recipe takes the identifier as it is."""
    return cluster_of(gap.paper.paper_id) if recipe.is_normalised else gap.paper.paper_id


def _near_duplicate(gap: ProofGap, others: Sequence[ProofGap], recipe: Recipe) -> ProofGap | None:
    """The first of the others whose witness is nearly the same; none for the published recipe."""

    def short(one: ProofGap) -> str:
        return " ".join(_witness(one).split())[: recipe.compared]

    for other in others if recipe.is_normalised else ():
        alike = SequenceMatcher(None, short(other), short(gap), autojunk=False)
        ratios = (alike.real_quick_ratio, alike.quick_ratio, alike.ratio)  # bounds from above, then itself
        if all(ratio() >= recipe.near_duplicate for ratio in ratios):
            return other
    return None


def quality(gap: ProofGap, recipe: Recipe) -> Iterable[Points]:
    """The points of each rule, those of 0 included."""
    anchor = gap.x.anchor_hint.strip()
    low, high = recipe.good_anchor
    short, long = recipe.good_context
    yield Points("restated", 3 * gap.y.restated_in_citing_paper)
    yield Points("arxiv", 2 * bool(gap.z.arxiv_id))
    yield Points("doi", int(bool(gap.z.doi)))
    yield Points("theorem_like", int(gap.y.reference_tool_type in _THEOREM_LIKE))
    yield Points("long_witness", int(len(_witness(gap)) >= recipe.long_tool))
    yield Points("long_locator", int(len(_locator(gap)) >= recipe.long_locator))
    yield Points("good_anchor", int(low <= len(anchor) <= high))
    yield Points("good_context", int(short <= len(_context(gap)) <= long))
    yield Points("generic_anchor", -int(anchor.lower().startswith(_GENERIC)))


def _filtered(gap: ProofGap, recipe: Recipe) -> Drop | None:
    if gap.strata.domain not in recipe.domains:
        return Drop("other_domain", f"{gap.strata.domain} has no quota.")
    if gap.instance_id in recipe.excluded:
        return Drop("excluded", "The recipe leaves it out by name.")
    if gap.z.source_type != "journal_paper":
        return Drop("not_a_journal_paper", f"The cited source is of type {gap.z.source_type}.")
    if not _locator(gap):
        return Drop("no_locator", "Nothing says where the citation stands.")
    if _is_suspicious(gap.x.anchor_hint):
        return Drop("suspicious_anchor", "The anchor is empty, or a formula of it does not close.")
    if _is_suspicious(_witness(gap)) or any(mark in _witness(gap) for mark in _BROKEN):
        return Drop("suspicious_witness", "The witness is empty, or a formula of it is broken.")
    if found := _NO_WITNESS.search(_witness(gap)):
        return Drop("suspicious_witness", f"A witness does not say {found[0]!r}.")
    if not _context(gap):
        return Drop("empty_local_context", "Nothing of the proof stands before the citation.")
    return None


def _is_suspicious(text: str) -> bool:
    return not text.strip() or text.count("$") % 2 == 1


def _locator(gap: ProofGap) -> str:
    return (gap.z.locator or gap.z.locator_snippet).strip()


def _witness(gap: ProofGap) -> str:
    return gap.y.reference_tool_latex.strip()


def _context(gap: ProofGap) -> str:
    return " ".join(filter(str.strip, gap.x.local_context))
