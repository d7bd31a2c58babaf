"""What every number means: its definition, and how the interval was made. One list for all pages."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType


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
        for key, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
    }
)


def definitions_on(page: str) -> list[Definition]:
    """What is printed at the foot of a page, in the order of the file."""
    return [definition for definition in DEFINITIONS.values() if page in definition.pages]


# How an estimate's `method` begins, what that is called, and where it is explained.
_METHODS: tuple[tuple[str, str, str], ...] = (
    ("wilson_n_eff", "Wilson on the effective number", "effective"),
    ("wilson_effective_n", "Wilson on the effective number", "effective"),
    ("wilson_jaccard", "Wilson, carried over from the Jaccard index", "in-sample"),
    ("wilson", "Wilson", "wilson"),
    ("cluster_bootstrap_percentile", "percentiles of resampled papers", "papers"),
    ("paper_cluster_bootstrap", "percentiles of resampled papers", "papers"),
    ("instance_bootstrap_percentile", "percentiles of resampled instances", "measured"),
    ("paired_cluster_bootstrap_percentile", "percentiles of resampled papers, paired", "difference"),
    ("newcombe_paired_10_n_eff", "Newcombe 1998, paired, on the effective number", "newcombe"),
    ("newcombe_paired_10", "Newcombe 1998, paired, method 10", "newcombe"),
    ("paired_t", "Student’s t over papers", "difference"),
    ("clopper_pearson", "Clopper and Pearson, exact", "position"),
    ("half_tie_wald", "normal, from the scores 1, 1/2, 0", "half-tie"),
    ("davidson_newton, cluster jackknife", "Davidson’s model, problems left out in turn", "strength"),
    ("rogan_gladen", "Lang and Reiczigel 2014", "transported"),
    ("dawid_skene", "Dawid and Skene’s model, twentieths of the problems left out", ""),
    ("facets", "facets, twentieths of the problems left out", ""),
    ("cluster jackknife", "problems or papers left out in turn", ""),
    ("davidson_newton", "Davidson’s model, from its information", "strength"),
    ("design_weighted_bb_pooled", "Dirichlet-multinomial, one spread per class", "weighted"),
    ("design_weighted", "Dirichlet-multinomial within strata", "weighted"),
    ("bb_jeffreys_borrowed", "Beta-Binomial, rates of all systems where none was drawn", "borrowed"),
    ("bb_pooled", "Beta-Binomial, one spread per class", "corrected"),
    ("bb_", "Beta-Binomial within strata", "corrected"),
    ("superpopulation_wilson_t", "Wilson on the effective number, Student’s t", ""),
    ("wilson_agreement", "Wilson, carried over from the agreement", "delta"),
    ("mean_over", "Student’s t", "macro"),
    ("logit_item_clustered", "logistic model, clustered by instance", "self-preference"),
    ("delta_clipped", "delta method, clipped to -1 and 1", "delta"),
    ("gwet_2008", "Gwet 2008", "agreement"),
    ("pairs", "share of pairs of labels", "same"),
    ("spearman", "Fisher’s z; Bonett and Wright 2000", ""),
    ("kendall", "Fisher’s z; Fieller, Hartley and Pearson 1957", ""),
    ("icc", "from the F distribution", "agreement"),
    ("bang", "normal, from the multinomial; guesses taken as independent", ""),
    ("james", "James and others 1996, without an interval", ""),
)


def method_words(method: str) -> tuple[str, str]:
    """(how an estimate's interval was made, in words; key of the definition that says more, or "")."""
    for start, words, key in _METHODS:
        if method.startswith(start):
            return words, key
    if method.endswith(" bootstrap"):
        return "percentiles of resampled problems", "agreement"
    return method.replace("_", " "), ""
