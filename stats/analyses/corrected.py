"""`analyse corrected`: the judge's score, corrected by the audit."""

from dataclasses import replace

import numpy as np

from stats.analyses.options import Options, chosen_question, questions_in
from stats.audit.corrected import corrected_score
from stats.audit.design import (
    Design,
    abstentions_apart,
    audit_design,
    corrected_strata,
    missing_labels,
    transported,
    whole_clusters,
)
from stats.audit.doubts import between, with_missing_labels
from stats.audit.superpopulation import METHOD as SUPERPOPULATION
from stats.audit.superpopulation import superpopulation_score
from stats.audit.system_units import units_by_system
from stats.audit.units import AuditUnits, Outcome, audit_units
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import missing_bounds, proportion
from stats.core.strata import Stratum
from stats.scores.clusters import cluster_totals, wilson_on_effective_n
from stats.tables.columns import Table
from stats.tables.labels import arms_in
from stats.tables.raw_rows import TableError

Document = dict[str, object]


def corrected_document(table: Table, *, positive: str, options: Options, by: str = "") -> Document:
    """The share of `positive` by the judge, and corrected by the experts' audit of it.

    `corrected` speaks about these units (finite), `superpopulation` about new ones; the latter needs a
    verdict for every unit. `splits` counts the units on which experts split evenly and nobody decided, `missing`
    those that were drawn and not labelled (stats/audit/doubts.py). `by` "system" adds `systems` with each system
    (stats/audit/system_units.py). Raises TableError when the table holds several questions and none is chosen.
    """
    table = chosen_question(table, options.question)
    questions = questions_in(table)
    if len(questions) > 1:
        raise TableError(
            f"the table answers {', '.join(questions)}: choose one with --question", column="question"
        )
    units = audit_units(table, positive=positive, order=options.order)
    pooled = len(arms_in(table["subject"].used)) > 1
    document = _one_score(units, options, pooled=pooled)
    if by == "system":
        document["systems"] = {
            system: _one_score(own, options, pooled=pooled, sizes_known=known)
            for system, (own, known) in units_by_system(units).items()
        }
    return document


def _one_score(
    units: AuditUnits, options: Options, *, pooled: bool = False, sizes_known: bool = True
) -> Document:
    """`pooled`: the judge's verdicts are on several tracks or conditions."""
    design = abstentions_apart(units, audit_design(units))
    strata = corrected_strata(units, design)
    missing = missing_labels(design, strata)
    estimates = {
        "uncorrected": _uncorrected(units, design, strata, options),
        "corrected": corrected_score(strata, level=options.confidence),
        "superpopulation": _superpopulation(units, design, strata, options),
    }
    positives = units.with_splits(Outcome.POSITIVE)
    if_positive = corrected_strata(positives, design)
    if units.split.any():
        others = {
            "corrected": corrected_score(if_positive, level=options.confidence),
            "superpopulation": _superpopulation(positives, design, if_positive, options),
        }
        estimates |= {name: between(estimates[name], other) for name, other in others.items()}
    for name in ("corrected", "superpopulation"):
        estimates[name] = with_missing_labels(estimates[name], strata, if_positive, missing)
    if whole_clusters(units):
        warnings = (*estimates["corrected"].warnings, Caution.WHOLE_CLUSTERS)
        estimates["corrected"] = replace(estimates["corrected"], warnings=warnings)
    if not sizes_known:
        estimates |= {
            name: undefined(name, Reason.NO_DESIGN, level=options.confidence)
            for name in ("uncorrected", "corrected", "superpopulation")
        }
    document: Document = {
        "positive": units.positive,
        "design": design.source if sizes_known else None,
        "primary": "corrected",
        "unit": "output" if units.clusters.is_empty else "cluster",
    }
    systems = {units.systems.values[code] for code in np.unique(units.systems.codes)} - {""}
    cautions = (Caution.POOLED_SYSTEMS,) if len(systems) > 1 else ()
    for name, estimate in estimates.items():
        document[name] = replace(
            estimate,
            warnings=(*estimate.warnings, *cautions),
            n_abstain=int((units.judge == Outcome.ABSTAIN).sum()),
            n_unavailable=int((units.judge == Outcome.UNAVAILABLE).sum()),
            judge_version=units.judge_versions[0] if len(units.judge_versions) == 1 else None,
        ).as_json()
    # Splits count negative here; the figure is one of several under "more".
    negatives = units.with_splits(Outcome.NEGATIVE)
    carried = (
        transported(negatives, design, level=options.confidence)
        if sizes_known
        else undefined("rogan_gladen", Reason.NO_DESIGN, level=options.confidence)
    )
    if pooled:
        carried = replace(carried, warnings=(*carried.warnings, Caution.POOLED_ARMS))
    document["rogan_gladen"] = carried.as_json()
    return document | {
        "splits": int(units.split.sum()),
        "missing": sum(missing),
        "strata": [
            {
                "stratum": stratum.name,
                "size": stratum.size,
                "sampled": int((design.inside(h) & units.audited).sum()),
                "successes": stratum.successes,
                "judged_positive": int((design.inside(h) & (units.judge == Outcome.POSITIVE)).sum()),
                "missing": missing[h],
            }
            for h, stratum in enumerate(strata)
        ],
        "judge_versions": list(units.judge_versions),
    }


def _uncorrected(units: AuditUnits, design: Design, strata: list[Stratum], options: Options) -> Estimate:
    """The judge's share of positives; unavailable verdicts leave the denominator and are bounded.

    Where the table holds verdicts on more units than the strata have, as on other tracks, those in the strata count.
    """
    level, total = options.confidence, int(design.sizes.sum())
    judged, positive = int(units.judged.sum()), units.judge == Outcome.POSITIVE
    if judged == 0:
        return undefined("wilson", Reason.NO_JUDGE, n=0, level=level)
    if judged == total:
        yes = positive[units.judged]
        if units.clusters.is_empty:
            estimate = proportion(int(yes.sum()), len(yes), level=level)
        else:
            names = [units.clusters.values[code] for code in units.clusters.codes[units.judged]]
            estimate = wilson_on_effective_n(cluster_totals(yes, names), level=level)
        failed = int((units.judge == Outcome.UNAVAILABLE).sum())
        rule = "abstained and uncertain count negative; unavailable leave the denominator"
        bounds = missing_bounds(int(yes.sum()), len(yes), failed) if failed else None
        return replace(estimate, denom_rule=rule, bounds=bounds)
    judge_strata = []
    for h in range(len(strata)):
        inside = design.inside(h) & units.judged
        counts = int(inside.sum()), int((inside & positive).sum())
        judge_strata.append(Stratum(design.names[h], int(design.sizes[h]), *counts))
    if any(stratum.is_unaudited for stratum in judge_strata):
        return undefined("design_weighted", Reason.NO_JUDGE, n=judged, level=level)
    if all(stratum.mean in (0.0, 1.0) for stratum in judge_strata):
        # The strata refine the judge's answer, so the verdicts outside the sample are known too.
        certain = sum(stratum.size for stratum in judge_strata if stratum.mean == 1)
        return proportion(certain, total, level=level, denom_rule="strata_refine_the_judge")
    return corrected_score(judge_strata, level=level)


def _superpopulation(units: AuditUnits, design: Design, strata: list[Stratum], options: Options) -> Estimate:
    population = design.member >= 0
    if int(population.sum()) != int(design.sizes.sum()):
        return undefined(SUPERPOPULATION, Reason.NO_DESIGN, level=options.confidence)
    names = [units.clusters.values[code] or f"\0{at}" for at, code in enumerate(units.clusters.codes)]
    _, clusters = np.unique(np.array(names, dtype=object)[population].astype(str), return_inverse=True)
    known = units.audited | np.isin(design.member, [h for h, s in enumerate(strata) if s.is_census])
    places = (clusters, design.member[population])
    counted = (np.ones(len(units)), known, known & (units.expert == Outcome.POSITIVE))
    tables = [np.zeros((int(clusters.max(initial=-1)) + 1, len(strata))) for _ in counted]
    for table, what in zip(tables, counted, strict=True):
        np.add.at(table, places, np.asarray(what, dtype=float)[population])
    return superpopulation_score(strata, *tables, level=options.confidence)
