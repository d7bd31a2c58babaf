"""P@k, Hit@k and MRR@k at the level of theorems and of papers, and the same by experts' relevance. Pure.

Definitions: STATISTICS.md 1.3. An instance for which a system returned nothing counts 0.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmark.protocol import LabelledOutput, Measure, StepMeasure
from benchmark.protocols.theorem_search.schema import Level, Query, Ranking
from benchmark.rubrics import NOT_ASSESSED

RELEVANT = ("exact", "equivalent", "stronger")  # what helps a person looking for the theorem
Gain = Callable[[Sequence[int], int], float]
_LEVELS: Mapping[Level, tuple[str, str]] = {
    "theorem": ("", "the right statement with its number"),
    "paper": (", paper", "the right paper, whatever the statement"),
}


def ranks(instance: Mapping[str, Any], output: Mapping[str, Any] | None, level: Level) -> list[int] | None:
    """The ranks (from 1, ascending) of the targets, each target once; none of those not found.

    None where the level does not apply: the query has no target with a statement, or the system lists papers.
    """
    query = Query.model_validate(instance)
    if level == "theorem" and not any(target.statement for target in query.targets):
        return None
    if output is None:
        return []
    ranking = Ranking.model_validate(output)
    if level == "paper":
        papers = [result.paper_key for result in ranking.results]
        listed = list(dict.fromkeys(papers)) if query.paper_ranks == "distinct" else papers
        return _places(listed, {target.paper_key for target in query.targets})
    if ranking.level == "paper":
        return None
    named = [(result.paper_key, result.statement_key) for result in ranking.results]
    wanted = {(target.paper_key, target.statement_key) for target in query.targets if target.statement}
    return _places(named, wanted)


def _places(listed: Sequence[object], wanted: set[Any]) -> list[int]:
    return sorted(listed.index(name) + 1 for name in wanted if name in listed)


def precision(places: Sequence[int], k: int) -> float:
    """Relevant results among the first k, over k."""
    return sum(place <= k for place in places) / k


def hit(places: Sequence[int], k: int) -> float:
    """1 if a relevant result is among the first k."""
    return float(any(place <= k for place in places))


def reciprocal(places: Sequence[int], k: int) -> float:
    """1 / rank of the first relevant result if that is at most k, otherwise 0 (its mean is MRR@k)."""
    first = min(places, default=k + 1)
    return 1 / first if first <= k else 0.0


# key, title, gain, k, whether every value is 0 or 1, words
_KINDS: tuple[tuple[str, str, Gain, int, bool, str], ...] = (
    ("p_at_1", "P@1", precision, 1, True, "Share of queries whose first result is {what}."),
    ("p_at_10", "P@10", precision, 10, False, "Results among the first 10 that are {what}, over 10."),
    ("hit_at_10", "Hit@10", hit, 10, True, "Share of queries with {what} among the first 10 results."),
    ("hit_at_20", "Hit@20", hit, 20, True, "Share of queries with {what} among the first 20 results."),
    ("mrr_at_20", "MRR@20", reciprocal, 20, False, "1 / rank of {what} within 20 results, else 0; the mean."),
)


def _measure(level: Level, key: str, title: str, gain: Gain, k: int, binary: bool, words: str) -> Measure:
    suffix, what = _LEVELS[level]

    def value(instance: Mapping[str, Any], output: Mapping[str, Any] | None) -> float | None:
        places = ranks(instance, output, level)
        return None if places is None else gain(places, k)

    if gain is precision and k > 1:
        words = f"Targets among the first {k} results, each counted once, over {k}. A target is {{what}}."
    definition = f"{words.format(what=what)} A query without results counts 0."
    return Measure(f"{level}_{key}", f"{title}{suffix}", definition, value, binary)


MEASURES = tuple(_measure(level, *kind) for level in _LEVELS for kind in _KINDS)


def _step_measure(key: str, title: str, gain: Gain, k: int, binary: bool, words: str) -> StepMeasure:
    def value(relevances: Sequence[str]) -> float | None:
        if NOT_ASSESSED in relevances[:k]:
            return None
        return gain([rank for rank, value in enumerate(relevances, start=1) if value in RELEVANT], k)

    what = f"{', '.join(RELEVANT[:-1])} or {RELEVANT[-1]}"
    definition = (
        f"{words.format(what=what)} Per expert, then averaged; lists with a result not assessed stay out."
    )
    return StepMeasure(f"expert_{key}", f"{title}, experts", definition, "relevance", value, binary)


STEP_MEASURES = tuple(_step_measure(*kind) for kind in _KINDS if kind[0] != "p_at_1")


def bucket(output: LabelledOutput) -> str:
    """No judge, hence a single stratum of lists; what returned nothing is scored by rule."""
    return "all" if output.state == "answered" else "abstained"
