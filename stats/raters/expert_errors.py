"""What labels say when experts err: shares of the values and accuracies of raters (Dawid and Skene), severities and
scores freed of them (facets), with intervals from leaving out a twentieth of the units at a time.

A unit is an item, or a cluster of items that share a problem or a paper. Every unit left out alone would need as many
fits as units; twenty groups (Tukey's grouped jackknife) measure the same with 19 degrees of freedom.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from stats.core.bootstrap import Floats, Ints, generator
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import wilson
from stats.core.jackknife import share_interval, t_quantile
from stats.raters.dawid_skene import MIN_RATERS, DawidSkene, dawid_skene, needs_adjudication
from stats.raters.facets import FacetFit, RaterFacet, rater_facets
from stats.tables.ratings import Ratings

GROUPS = 20  # clusters left out together: twenty-one fits instead of one per cluster (ADR 0030)
MOST_LABELS = 200_000  # above, twenty-one fits take minutes, and only values are given
UNMOVED = 1e-9  # a standard error, or the distance of a share from 0 or 1, below this is rounding
SHARES, SEVERITIES = "dawid_skene, grouped jackknife", "facets, grouped jackknife"


@dataclass(frozen=True)
class ExpertErrors:
    """`shares` by category; `accuracies` and `severities` by rater; `adjusted` by system (or "" for all).

    `model` is None where Dawid and Skene's model was not fitted, `facets` holds the raters' fit where facets were.
    """

    shares: Mapping[str, Estimate]
    accuracies: Mapping[str, Estimate]
    severities: Mapping[str, Estimate]
    adjusted: Mapping[str, Estimate]
    model: DawidSkene | None
    facets: tuple[RaterFacet, ...]

    def overturned(self, ratings: Ratings) -> list[tuple[int, int, int, float]]:
        """(item, its most frequent category, the model's, probability) where these differ; ties are left out."""
        if self.model is None:
            return []
        counts, classes = ratings.counts(), self.model.classes
        most = counts.max(axis=1)
        decided = (counts == most[:, None]).sum(axis=1) == 1
        wrong = np.flatnonzero(decided & (counts.argmax(axis=1) != classes))
        return [
            (
                int(item),
                int(counts[item].argmax()),
                int(classes[item]),
                float(self.model.posteriors[item].max()),
            )
            for item in wrong
        ]

    @property
    def unsure(self) -> Ints:
        """Items whose most probable category has a probability below .9."""
        return (
            np.empty(0, dtype=np.int64) if self.model is None else needs_adjudication(self.model.posteriors)
        )


def expert_errors(
    ratings: Ratings,
    success: Ints | None,
    *,
    units: Ints | None = None,
    systems: Ints | None = None,
    names: tuple[str, ...] = ("",),
    seed: int,
    level: float = 0.95,
) -> ExpertErrors:
    """Both models of ratings in which every item has a label.

    `success` are the category codes that count as success (None: severities are undefined, NO_SUCCESS_SET); `units`
    and `systems` (n_items,) are codes, systems named by `names`.
    """
    asked = _Asked(
        ratings, np.arange(ratings.n_items) if units is None else units, units is None, seed, level
    )
    shares, accuracies, model = _classes(asked)
    severities, adjusted, facets = _facets(
        asked, success, np.zeros(ratings.n_items, dtype=np.int64) if systems is None else systems, names
    )
    return ExpertErrors(shares, accuracies, severities, adjusted, model, facets)


@dataclass(frozen=True)
class _Asked:
    ratings: Ratings
    units: Ints
    alone: bool
    seed: int
    level: float

    def refusal(self, raters: int) -> Reason | None:
        """Why a model that needs so many raters cannot be fitted."""
        if not len(self.ratings.item):
            return Reason.NO_ITEMS
        found = len(np.unique(self.ratings.rater))
        return None if found >= raters else Reason.ONE_RATER if found < 2 else Reason.FEW_RATERS

    def unidentified(self) -> Reason | None:
        """Why labels cannot tell errors from the truth: too few raters who vary their answers.

        It takes four where no item has labels of three: three raters, two per item, leave more unknowns than there are
        shares to know them from. Where all labels are the same there is nothing to tell.
        """
        item, rater, value = self.ratings.item, self.ratings.rater, self.ratings.value
        pairs = np.unique(np.column_stack([rater, value]), axis=0)[:, 0]
        varying = np.flatnonzero(np.bincount(pairs, minlength=1) > 1)
        most = np.bincount(item[np.isin(rater, varying)], minlength=1).max()
        enough = np.ptp(value) == 0 or len(varying) >= (MIN_RATERS if most >= MIN_RATERS else MIN_RATERS + 1)
        return None if enough else Reason.FEW_RATERS

    def errors(self, function: Callable[[np.ndarray], Floats]) -> tuple[Floats, int] | None:
        """Standard errors of `function` of a mask of labels and their degrees of freedom; None below two units.

        An entry that is not defined without some group has no error (nan).
        """
        count = int(self.units.max(initial=-1)) + 1
        if count < 2 or len(self.ratings.item) > MOST_LABELS:
            return None
        groups = min(GROUPS, count)
        place = (generator(self.seed).permutation(count) % groups)[self.units[self.ratings.item]]
        left = np.array([function(place != group) for group in range(groups)])
        errors = np.sqrt((groups - 1) / groups * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
        return np.asarray(errors), groups - 1

    def share(
        self, value: float, at: int, errors: tuple[Floats, int] | None, method: str, n: int
    ) -> Estimate:
        """Wilson's interval on effective trials, at most `n`: never narrower than independent items would have it."""
        if not n:
            return undefined(method, Reason.NO_ITEMS, n=0, level=self.level)
        spread = UNMOVED < value < 1 - UNMOVED
        value = value if spread else float(round(value))
        found = self._plain(value, at, errors, method)
        if errors is None or found.reason:
            return found
        degrees, count = errors[1], min(n, int(self.units.max()) + 1)
        if not spread:
            t = t_quantile(self.level, degrees)
            ends = wilson(value * count, count, quantile=t)
            return replace(found, ci=ends, warnings=(Caution.NO_SPREAD,))
        se = max(float(errors[0][at]), math.sqrt(value * (1 - value) / max(1, n)))
        return replace(found, ci=share_interval(value, se, degrees, self.level), se=se)

    def severity(self, facet: RaterFacet, errors: tuple[Floats, int] | None) -> Estimate:
        """Student's t, on the larger of the error of groups left out and the model's (NO_SPREAD where none moves it).

        The model's prior draws few labels together, and what is left out moves them too little for that.
        """
        found = self._plain(facet.severity, facet.rater, errors, SEVERITIES)
        if errors is None or found.reason:
            return found
        moved = float(errors[0][facet.rater]) > UNMOVED
        se = max(float(errors[0][facet.rater]), facet.se)
        half = t_quantile(self.level, errors[1]) * se
        ends = (facet.severity - half, facet.severity + half)
        return replace(found, ci=ends, se=se, warnings=() if moved else (Caution.NO_SPREAD,))

    def _plain(self, value: float, at: int, errors: tuple[Floats, int] | None, method: str) -> Estimate:
        absent = errors is None or bool(np.isnan(errors[0][at]))
        large = len(self.ratings.item) > MOST_LABELS
        return Estimate(
            value=value,
            level=self.level,
            method=method,
            n=self.ratings.n_items,
            clusters=None if self.alone else int(self.units.max(initial=-1)) + 1,
            reason=None if not absent else Reason.TOO_LARGE if large else Reason.FEW_EVENTS,
            seed=self.seed,
        )


def _classes(asked: _Asked) -> tuple[dict[str, Estimate], dict[str, Estimate], DawidSkene | None]:
    ratings = asked.ratings
    refused = asked.refusal(MIN_RATERS) or asked.unidentified()
    if refused is not None:
        nothing = undefined(SHARES, refused, n=ratings.n_items, level=asked.level)
        return dict.fromkeys(ratings.categories, nothing), dict.fromkeys(ratings.raters, nothing), None
    q, labels = len(ratings.categories), np.bincount(ratings.rater, minlength=len(ratings.raters))

    def fitted(kept: np.ndarray) -> tuple[DawidSkene, Floats]:
        """The model, and shares of the categories, then of each rater's labels that are right; nan without a label."""
        item, rater, label = (codes[kept] for codes in (ratings.item, ratings.rater, ratings.value))
        items = np.unique(item, return_inverse=True)[1]
        model = dawid_skene(items, rater, label, classes=q)
        right = np.bincount(rater, weights=model.posteriors[items, label], minlength=len(labels))
        with np.errstate(invalid="ignore"):
            rates = right / np.bincount(rater, minlength=len(labels))
        return model, np.minimum(1, np.concatenate([model.shares, rates]))

    errors = asked.errors(lambda kept: fitted(kept)[1])
    model, values = fitted(np.ones(len(ratings.item), dtype=bool))
    plain = [
        asked.share(float(value), at, errors, SHARES, ratings.n_items if at < q else int(labels[at - q]))
        for at, value in enumerate(values)
    ]
    found = [replace(one, warnings=(*model.warnings, *one.warnings)) for one in plain]
    return (
        dict(zip(ratings.categories, found[:q], strict=True)),
        dict(zip(ratings.raters, found[q:], strict=True)),
        model,
    )


def _facets(
    asked: _Asked, success: Ints | None, systems: Ints, names: tuple[str, ...]
) -> tuple[dict[str, Estimate], dict[str, Estimate], tuple[RaterFacet, ...]]:
    ratings = asked.ratings
    refused = Reason.NO_SUCCESS_SET if success is None else asked.refusal(2)
    yes = np.isin(ratings.value, [] if success is None else success).astype(np.float64)
    fit = refused or rater_facets(ratings.item, ratings.rater, yes, system=systems[ratings.item])
    if not isinstance(fit, FacetFit):
        nothing = undefined(SEVERITIES, fit, n=ratings.n_items, level=asked.level)
        return dict.fromkeys(ratings.raters, nothing), dict.fromkeys(names, nothing), ()
    width = len(ratings.raters) + len(names)

    def figures(kept: np.ndarray) -> Floats:
        kinds, items = np.unique(ratings.item[kept], return_inverse=True)
        some, raters = np.unique(ratings.rater[kept], return_inverse=True)
        present, codes = np.unique(systems[kinds], return_inverse=True)
        again = rater_facets(items, raters, yes[kept], system=codes[items])
        found = np.full(width, np.nan)
        if isinstance(again, FacetFit):
            found[some] = [entry.severity for entry in again.raters]
            found[len(ratings.raters) + present] = _adjusted(again, codes)
        return found

    errors, first = asked.errors(figures), len(ratings.raters)
    sizes = np.bincount(systems)
    scores = [
        asked.share(float(value), first + at, errors, SEVERITIES, int(sizes[at]))
        for at, value in enumerate(_adjusted(fit, systems))
    ]
    severities = [asked.severity(facet, errors) for facet in fit.raters]
    return (
        dict(zip(ratings.raters, severities, strict=True)),
        dict(zip(names, scores, strict=True)),
        tuple(fit.raters),
    )


def _adjusted(fit: FacetFit, systems: Ints) -> Floats:
    """By system, the mean over its items of the probability that a rater of mean severity says success."""
    chances = 1 / (1 + np.exp(-(fit.intercept + fit.systems[systems] + fit.items)))
    return np.asarray(np.bincount(systems, weights=chances) / np.bincount(systems))
