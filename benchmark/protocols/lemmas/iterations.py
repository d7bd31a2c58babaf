"""Two iterations of one benchmark: whether the later one is fresh, as an iteration from recent preprints must be. Pure.

A lemma of the first iteration recurs in the second if its statement, without delimiters of mathematics and
white space, is the same.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from benchmark.citations.folding import undelimited
from benchmark.protocols.lemmas.schema import Lemma
from stats.core.intervals import proportion


def iterations(
    first: Iterable[Mapping[str, Any]], second: Iterable[Mapping[str, Any]], proximate: Collection[str] = ()
) -> dict[str, object]:
    """The document of two iterations: lemmas that recur, and both sizes, in all and by arXiv category.

    Raises ValueError if keys are called proximate: a lemma either recurs unchanged, or is another one.
    """
    if proximate:
        raise ValueError("lemmas are compared by their statements; none can be called proximate")
    one, two = (list(map(Lemma.model_validate, payloads)) for payloads in (first, second))
    later = {undelimited(lemma.statement) for lemma in two}
    again = sum(undelimited(lemma.statement) in later for lemma in one)
    return {
        "shares": {"lemmas_again": proportion(again, len(one)).as_json()},
        "lemmas": {"first": len(one), "second": len(two)},
        "categories_of_the_first": _categories(one),
        "categories_of_the_second": _categories(two),
    }


def _categories(lemmas: Iterable[Lemma]) -> dict[str, int]:
    return dict(sorted(Counter(lemma.category or "unstated" for lemma in lemmas).items()))
