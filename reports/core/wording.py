"""What codes, numbers and methods mean, in sentences for people: one list for all pages."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

from stats.agreement import bundle
from stats.core.estimate import Caution, Reason

REASONS: dict[str, str] = {
    Reason.NO_ITEMS: "Nothing was labelled.",
    Reason.ONE_RATER: "Agreement needs two raters; here is one.",
    Reason.NO_PAIRABLE: "No item was labelled by two raters.",
    Reason.ONE_VALUE: "Only one value occurs, and nothing says how far others could lie from it.",
    Reason.ONE_CATEGORY: "Everyone always chose the same value, so agreement beyond chance is undefined.",
    Reason.ZERO_DENOM: "The denominator is zero.",
    Reason.NOT_CONNECTED: "Some systems were never compared, not even through others.",
    Reason.SEPARATION: "A group of systems never lost or never won, so strengths are infinite.",
    Reason.EMPTY_STRATUM: "A stratum has no audited output that counts.",
    Reason.CENSUS: "Everything was audited: there is no sampling error.",
    Reason.DEGENERATE_BOOTSTRAP: "Too few distinct resamples for percentiles.",
    Reason.JUDGE_UNINFORMATIVE: "The judge does no better than chance, so it cannot be corrected this way.",
    Reason.TOO_LARGE: "The interval would take too long for so many items.",
    Reason.LEVEL: "The scale does not allow this coefficient.",
    Reason.NOT_TWO_RATERS: "This coefficient is for exactly two raters.",
    Reason.TOO_MANY_CATEGORIES: "There are too many different values for this.",
    Reason.INCOMPLETE: "Not every item was rated by every rater.",
    Reason.NO_DESIGN: "The sampling design is unknown.",
    Reason.NO_JUDGE: "There are no labels of a judge.",
    Reason.RATERS_ALIKE: "Raters are not told apart, and this needs to know who gave which label.",
    Reason.NO_SUCCESS_SET: "No value was named as a success.",
    Reason.NOT_A_SHARE: "The scores are not all between 0 and 1.",
    Reason.FEW_RATERS: "Telling errors from the truth takes three raters who vary their answers, four where no "
    "item has labels of three.",
    Reason.FEW_EVENTS: "There are too few successes or failures for this method.",
}

CAUTIONS: dict[str, str] = {
    Caution.BORROWED: "Small strata of one class of the judge share one spread: their rates are not estimated apart.",
    Caution.COLLAPSED: "A stratum has no audit of one of the judge’s verdicts and takes the rate of the others.",
    Caution.CENSUS: "Everything was audited, so there is no sampling error; the interval is the value itself.",
    Caution.DEGENERATE_BOOTSTRAP: "Too few distinct resamples: the interval is unreliable.",
    Caution.FEW_CLUSTERS: "Few papers or reviewers, or few with most of the data: the interval may be too narrow.",
    Caution.FEW_MINORITY: "Few items hold a rarer label: the interval may be too narrow.",
    Caution.LOW_N: "Few labels: neither value nor interval is reliable.",
    Caution.MANY_RATERS: "There are too many raters to look at every two of them.",
    Caution.MARGIN_CAP: "The raters' margins differ, so kappa cannot reach 1.",
    Caution.MIXED_RATER_KINDS: "Experts and judges are mixed.",
    Caution.MIXED_VALUES: "Most values are numbers, or words with a known order, but others are not, so all are names.",
    Caution.NONRESPONSE: "Some drawn outputs have no label; they are taken to be like the labelled ones.",
    Caution.UNDRAWABLE: "Outputs that reveal who wrote them were not drawn; they are taken to be like the others.",
    Caution.NO_SPREAD: "The labels show no variation, so a standard error of 0 says nothing.",
    Caution.POOLED_ARMS: "Outputs on several tracks or under several conditions are pooled.",
    Caution.POOLED_QUESTIONS: "Several questions are pooled.",
    Caution.POOLED_SYSTEMS: "Several systems are pooled.",
    Caution.PREVALENCE_PARADOX: "One value is far more frequent than the others, which pulls kappa down.",
    Caution.RATES_DIFFER: "The judge errs at different rates on the systems that share one spread.",
    Caution.RATER_BIAS: "The raters differ in how often they say yes.",
    Caution.SEPARATION: "A group never lost or never won: strengths are bounded by hand.",
    Caution.SMALL_FOR_MODEL: "Few labels for this model.",
    Caution.SPLIT: "Experts split evenly on some outputs: the interval reaches over both ways to decide them.",
    Caution.TRANSPORT_ASSUMPTION: "Assumes that the judge errs here as often as where it was audited.",
    Caution.OPEN_CASES: "A person has still to look at some cases, which count as misses; the bounds decide them "
    "either way.",
    Caution.TRUNCATED: "The value or its interval was cut to the possible range.",
    Caution.WHOLE_CLUSTERS: "Papers seem to have been drawn whole; the interval takes outputs as drawn one by one.",
}

# What to do about a reason or caution, where something can be done.
ADVICE: dict[str, str] = {
    Reason.NO_ITEMS: "See whether the value column is mapped and the question exists.",
    Reason.ONE_RATER: "See whether the rater column is mapped; let a second rater label some of the items.",
    Reason.NO_PAIRABLE: "Let raters share items; see whether subjects are named alike for all raters.",
    Reason.ONE_VALUE: "Say which values there could have been, from low to high (--order).",
    Reason.ONE_CATEGORY: "Read percent agreement and AC1; include items on which people could differ.",
    Reason.NOT_CONNECTED: "Compare systems across the groups, or read each group by itself.",
    Reason.SEPARATION: "Read wins and ties instead, or the regularised strengths of the JSON document.",
    Reason.EMPTY_STRATUM: "Audit some outputs of every stratum; until then only the logical bounds hold. Audits do "
    "not count where verdicts of their stratum have changed since the draw.",
    Reason.NOT_TWO_RATERS: "Read Krippendorff’s alpha, or the table of pairs.",
    Reason.LEVEL: "Choose another level of measurement if the values have an order or are numbers.",
    Reason.NO_DESIGN: "Add the unaudited verdicts, or the columns stratum and stratum_size.",
    Reason.NO_JUDGE: "See whether rater_kind says judge for the judge’s rows.",
    Reason.RATERS_ALIKE: "Read alpha, percent agreement and ICC(1), or name the raters.",
    Reason.NO_SUCCESS_SET: "Name the values that count as success.",
    Reason.NOT_A_SHARE: "Say the range of the scores, so that they can be mapped to 0 to 1.",
    Reason.FEW_EVENTS: "Label more; until then read the counts.",
    Caution.FEW_CLUSTERS: "Label items of more papers.",
    Caution.FEW_MINORITY: "Label more items, or choose some that are likely to have the rarer label.",
    Caution.WHOLE_CLUSTERS: "Read the score for new items, whose interval takes papers together.",
    Caution.LOW_N: "Label more items.",
    Caution.MARGIN_CAP: "Read kappa against the largest value possible.",
    Caution.MIXED_RATER_KINDS: "Choose raters of one kind to see how experts agree among themselves.",
    Caution.MIXED_VALUES: "Correct the other values, or choose the nominal level if they are meant.",
    Caution.NONRESPONSE: "Label the rest; until then read the bounds too.",
    Caution.UNDRAWABLE: "Read the bounds too. Before the next audit, redact such outputs where you can.",
    Caution.NO_SPREAD: "Label more items.",
    Caution.POOLED_ARMS: "Keep the rows of one track and condition; subjects name it as system@track+condition.",
    Caution.POOLED_QUESTIONS: "Name a question to see it alone.",
    Caution.POOLED_SYSTEMS: "Analyse the rows of one system for its own score.",
    Caution.PREVALENCE_PARADOX: "Read AC1 and the agreement on each value together with kappa.",
    Caution.RATES_DIFFER: "Read the systems’ own scores; audit more of each.",
    Caution.SPLIT: "Ask an adjudicator to decide them.",
    Caution.RATER_BIAS: "See whether the raters read the rubric alike.",
    Caution.TRANSPORT_ASSUMPTION: "Audit the judge on the outputs that it is corrected for.",
}

COEFFICIENTS: dict[str, str] = {
    "agreement": "Agreement",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "kappa": "Cohen’s kappa",
    **{key: coefficient.name for key, coefficient in bundle.COEFFICIENTS.items()},
    "icc_1_1": "ICC(1,1), one-way, one expert",
    "icc_2_1": "ICC(2,1), absolute agreement",
    "icc_3_1": "ICC(3,1), consistency",
    "icc_1_k": "ICC(1,k), one-way, mean of the experts",
    "icc_2_k": "ICC(2,k), absolute agreement, mean of the experts",
    "icc_3_k": "ICC(3,k), consistency, mean of the experts",
    "percent_pooled": "Percent agreement, all pairs of labels",
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s rho",
    "kendall_tau_b": "Kendall’s tau-b",
    "rmse": "Root mean square difference",
    "bias": "Bias",
    "within_one_level": "Share within one level",
    "auc": "AUC",
    "brier": "Brier score",
    "overconfidence": "Mean score minus share that is true",
}


def in_words(code: str) -> str:
    """A code of a class, scale or question as plain words: "grounded_insufficient" -> "grounded insufficient"."""
    return code.replace("_", " ").replace("/", " / ")


def reason_sentence(code: str | None, *, valued: bool = False) -> str:
    """Why a value is absent, or if `valued` its interval; an unknown code speaks for itself."""
    if valued and code == Reason.SEPARATION:
        return f"No interval: without one of the {_EITHER} strengths would be infinite."
    return "" if code is None else REASONS.get(code, in_words(code))


def caution_sentence(code: str) -> str:
    """What to bear in mind about a value; an unknown code speaks for itself."""
    return CAUTIONS.get(code, in_words(code))


def sentence_of(code: str) -> str:
    """A reason or a caution in words."""
    return REASONS.get(code) or caution_sentence(code)


def coefficient_name(key: str) -> str:
    """The usual name of an agreement or audit coefficient."""
    return COEFFICIENTS.get(key, in_words(key))


def from_to(ends: Sequence[object] | None) -> str:
    """ "2" or "2 to 5"; "" where there is nothing."""
    if ends is None:
        return ""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


@dataclass(frozen=True)
class Definition:
    """`key` is the anchor on each of its `pages`: `#def-KEY`."""

    key: str
    title: str
    text: str
    pages: tuple[str, ...]


DEFINITIONS: Mapping[str, Definition] = MappingProxyType(
    {
        key: Definition(key, row["title"], " ".join(row["text"].split()), tuple(row["pages"]))
        for key, row in tomllib.loads(Path(__file__).with_name("definitions.toml").read_text("utf-8")).items()
    }
)


def definitions_on(page: str) -> list[Definition]:
    """What is printed at the foot of a page, in the order of the file."""
    return [definition for definition in DEFINITIONS.values() if page in definition.pages]


_EITHER = "problems or papers"
# Patterns of an estimate's `method`, the first that fits: what that is called, and where it is explained.
_METHODS: tuple[tuple[str, str, str], ...] = (
    ("davidson_newton, cluster jackknife*", f"Davidson’s model, {_EITHER} left out in turn", "strength"),
    ("dawid_skene*", "Dawid and Skene’s model, twentieths of the problems left out", ""),
    ("facets*", "facets, twentieths of the problems left out", ""),
    ("*, cluster jackknife", f"{_EITHER} left out in turn", "agreement"),
    ("*, item jackknife", "items left out in turn", "agreement"),
    ("*, jackknife", "items or problems left out in turn", ""),
    ("* bootstrap", "percentiles of resampled problems", "agreement"),
    ("wilson_n_eff*", "Wilson on the effective number", "effective"),
    ("wilson_effective_n*", "Wilson on the effective number", "effective"),
    ("wilson_jaccard*", "Wilson, carried over from the Jaccard index", "in-sample"),
    ("wilson*", "Wilson", "wilson"),
    ("cluster_bootstrap_percentile*", "percentiles of resampled papers", "papers"),
    ("paper_cluster_bootstrap*", "percentiles of resampled papers", "papers"),
    ("instance_mean, by cluster*", "Wilson on effective trials, papers count together", "measured"),
    ("instance_mean*", "Wilson on effective trials", "measured"),
    ("instance_bootstrap_percentile*", "percentiles of resampled instances", "measured"),
    ("paired_cluster_bootstrap_percentile*", "percentiles of resampled papers, paired", "difference"),
    ("newcombe_paired_10_n_eff*", "Newcombe 1998, paired, on the effective number", "newcombe"),
    ("newcombe_paired_10*", "Newcombe 1998, paired, method 10", "newcombe"),
    ("paired_t*", "Student’s t over papers", "difference"),
    ("clopper_pearson_n_eff*", "Clopper and Pearson on the effective number", "position"),
    ("clopper_pearson*", "Clopper and Pearson, exact", "position"),
    ("half_tie_wald*", "normal, from the scores 1, 1/2, 0", "half-tie"),
    ("rogan_gladen*", "Lang and Reiczigel 2014", "transported"),
    ("item jackknife*", "items left out in turn", ""),
    ("cluster jackknife*", f"{_EITHER} left out in turn", ""),
    ("davidson_newton*", "Davidson’s model, from its information", "strength"),
    ("design_weighted_bb_pooled*", "Dirichlet-multinomial, one spread per class", "weighted"),
    ("design_weighted*", "Dirichlet-multinomial within strata", "weighted"),
    ("bb_jeffreys_borrowed*", "Beta-Binomial, rates of all systems where none was drawn", "borrowed"),
    ("bb_pooled*", "Beta-Binomial, one spread per class", "corrected"),
    ("bb_*", "Beta-Binomial within strata", "corrected"),
    ("superpopulation_wilson_t*", "Wilson on the effective number, Student’s t", ""),
    ("wilson_agreement*", "Wilson, carried over from the agreement", "delta"),
    ("mean_over*, by cluster, wilson*", "Wilson on effective trials, papers count together", "macro"),
    ("mean_over*, wilson*", "Wilson on effective trials", "macro"),
    ("final_mean, by cluster, wilson*", "Wilson on effective trials, papers count together", "final"),
    ("final_mean, wilson*", "Wilson on effective trials", "final"),
    ("reciprocal_ranks*", "Wilson on effective trials", ""),
    ("mean_over_outputs, by cluster*", "Student’s t over papers", "macro"),
    ("mean_over_labels, by cluster*", "Student’s t over papers", "macro"),
    ("mean_over*", "Student’s t", "macro"),
    ("final_mean, by cluster*", "Student’s t over papers", "final"),
    ("final_mean*", "Student’s t", "final"),
    ("logit_item_clustered*", "logistic model, clustered by paper", "self-preference"),
    ("delta_clipped*", "delta method, clipped to -1 and 1", "delta"),
    ("gwet_2008*", "Gwet 2008", "agreement"),
    ("pairs*", "share of pairs of labels", "same"),
    ("spearman*", "Fisher’s z; Bonett and Wright 2000", ""),
    ("kendall*", "Fisher’s z; Fieller, Hartley and Pearson 1957", ""),
    ("icc*", "from the F distribution", "agreement"),
    ("bang*", "score interval; the guesses of a reviewer are alike", ""),
    ("james*", "James and others 1996, without an interval", ""),
)


def method_words(method: str, clusters: str = "") -> tuple[str, str]:
    """(how an estimate's interval was made, in words; key of the definition that says more, or "").

    `clusters` says whether the clusters are problems or papers, where the method alone leaves that open.
    """
    for pattern, words, key in _METHODS:
        if fnmatchcase(method, pattern):
            return (words.replace(_EITHER, clusters) if clusters else words), key
    return method.replace("_", " "), ""
