"""`analyse errors`: what the labels say when the raters err, question by question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stats.agreement.bundle import Level
from stats.analyses.options import Options, chosen, questions_in
from stats.core.bootstrap import Ints
from stats.core.text import aligned, counted, interval, made_by, number, printable
from stats.raters.expert_errors import ExpertErrors, expert_errors
from stats.tables.columns import Table
from stats.tables.groups import attribute, first_rows, group_codes, refuse_many, refuse_repeats
from stats.tables.label_ratings import resolve
from stats.tables.labels import independent
from stats.tables.ratings import Ratings
from stats.tables.raw_rows import TableError

Document = dict[str, object]
MOST_OVERTURNED = 200
ASSUMPTIONS = (
    "Shares and accuracies are by Dawid and Skene’s model. It takes raters to err independently of each other, at "
    "rates that depend on the true value alone; raters who share a blind spot, or several votes of one model, break "
    "that, and then it believes the larger clique. It needs three raters and some fifty items.",
    "Severities and adjusted scores are by a Rasch-like model with facets: every rater is as severe on every item, and "
    "who labels what does not depend on the answer. The adjusted score is what a rater of mean severity would give; "
    "if all are too lenient, so is it.",
)


def errors_document(table: Table, *, positive: str, options: Options) -> Document:
    """`{"questions": {question: ...}, "assumptions": [...]}`; votes, abstentions, decisions as for agreement.

    `positive` names the values that count as success for severities (one, or several with commas); without it the
    higher of two ordered values does.
    """
    refuse_repeats(independent(table)[0])
    table = chosen(table, options)
    questions = {}
    for question in questions_in(table):
        part = table.select(table["question"].is_in(question))
        resolved = resolve(part, None, options.order)
        refuse_many(len(resolved.ratings.raters), "rater")
        answered = independent(part)[0]
        answered = answered.select(answered["state"].is_in("answered"))
        items = group_codes(answered, ("subject",))
        first = first_rows(items)
        named = attribute(answered, "system", items, len(first)).texts()
        # An item whose only votes were tied has no label.
        kept, item = np.unique(resolved.ratings.item, return_inverse=True)
        ratings = replace(resolved.ratings, item=item, n_items=len(kept))
        names, systems = np.unique([named[at] for at in kept] or [""], return_inverse=True)
        units = resolved.clusters
        success = success_codes(ratings, positive, resolved.level)
        found = expert_errors(
            ratings,
            success,
            units=None if units is None else np.unique(units[kept], return_inverse=True)[1],
            systems=systems,
            names=tuple(map(str, names)),
            seed=options.seed,
            level=options.confidence,
        )
        subjects = answered["subject"].texts()
        questions[question] = {
            "n_items": ratings.n_items,
            "n_labels": len(ratings.item),
            "n_clusters": None if units is None else len(np.unique(units[kept])),
            **{f"n_{name}": count for name, count in resolved.left_out.items()},
            "warnings": [str(warning) for warning in resolved.warnings],
            **errors_json(found, ratings, success, [subjects[first[at]] for at in kept]),
        }
    return {"questions": questions, "assumptions": list(ASSUMPTIONS)}


def success_codes(ratings: Ratings, positive: str, level: Level) -> Ints | None:
    """Codes of the values that count as success; None where nothing says it. TableError for a value nobody gave."""
    if not positive:
        return np.array([1]) if ratings.q == 2 and level != "nominal" else None
    wanted = [positive] if positive in ratings.categories else [part.strip() for part in positive.split(",")]
    strange = sorted(set(wanted) - set(ratings.categories))
    if strange:
        raise TableError(
            f"no label has the value {', '.join(strange)}; values: {', '.join(ratings.categories[:10])}",
            column="value",
        )
    return np.array([ratings.categories.index(name) for name in wanted])


def errors_json(
    found: ExpertErrors, ratings: Ratings, success: Ints | None, subjects: Sequence[str]
) -> Document:
    """Both models as plain values. `plain` is what the labels say as they are."""
    counts = ratings.counts()
    overturned = found.overturned(ratings)
    yes = np.isin(ratings.value, [] if success is None else success)
    facets = {ratings.raters[facet.rater]: facet for facet in found.facets}
    labels = np.bincount(ratings.rater, minlength=len(ratings.raters))
    return {
        "success": None if success is None else [ratings.categories[code] for code in success],
        "values": [
            {
                "value": name,
                "plain": float(counts[:, code].sum() / counts.sum()) if counts.sum() else None,
                "share": found.shares[name].as_json(),
            }
            for code, name in enumerate(ratings.categories)
        ],
        "raters": [
            {
                "rater": name,
                "n_labels": int(labels[code]),
                "accuracy": found.accuracies[name].as_json(),
                "severity": found.severities[name].as_json(),
                "infit": facets[name].infit if name in facets else None,
                "infit_flagged": facets[name].flagged if name in facets else None,
            }
            for code, name in enumerate(ratings.raters)
        ],
        "plain_score": None if success is None or not len(yes) else float(yes.mean()),
        "scores": [
            {"system": name, "adjusted": estimate.as_json()} for name, estimate in found.adjusted.items()
        ],
        "n_overturned": len(overturned),
        "overturned": [
            {
                "subject": subjects[item],
                "majority": ratings.categories[majority],
                "model": ratings.categories[best],
                "probability": probability,
            }
            for item, majority, best, probability in overturned[:MOST_OVERTURNED]
        ],
        "n_unsure": len(found.unsure),
        "fit": None
        if found.model is None
        else {
            "log_likelihood": found.model.log_likelihood,
            "steps": found.model.steps,
            "converged": found.model.converged,
        },
    }


def errors_text(document: Mapping[str, Any]) -> str:
    """One block per question, then what the figures take for granted."""
    blocks = []
    for question, part in document["questions"].items():
        values = [_row(row["value"], row["plain"], row["share"]) for row in part["values"]]
        scores = [_row(row["system"] or "all", None, row["adjusted"]) for row in part["scores"]]
        raters = [
            [
                row["rater"],
                row["n_labels"],
                number(row["accuracy"]["value"]),
                interval(row["accuracy"]["ci"]),
                number(row["severity"]["value"]),
                interval(row["severity"]["ci"]),
                number(row["infit"]),
            ]
            for row in part["raters"]
        ]
        head = ("", "as labelled", "freed of errors", "interval", "notes")
        blocks += [
            f"{printable(question) or '(no question named)'}: {counted(part['n_items'], 'item')}, "
            f"{counted(part['n_labels'], 'label')}; "
            f"{counted(part['n_overturned'], 'majority', 'majorities')} overturned, "
            f"{counted(part['n_unsure'], 'item')} unsure",
            aligned(head, values),
            aligned(
                ("rater", "labels", "accuracy", "interval", "severity", "interval", "infit"),
                raters,
            ),
            aligned(("adjusted score", *head[1:]), scores),
            "Primary: the shares freed of errors.\n"
            + made_by(
                [
                    *((row["value"], row["share"]) for row in part["values"]),
                    *((row["system"] or "all", row["adjusted"]) for row in part["scores"]),
                ],
                "item" if part["n_clusters"] is None else "cluster",
            ),
        ]
    return "\n\n".join([*blocks, *document["assumptions"]])


def _row(name: str, plain: float | None, found: Mapping[str, Any]) -> list[object]:
    notes = " ".join(str(note) for note in (found["reason"], *found["warnings"]) if note)
    return [name, number(plain), number(found["value"]), interval(found["ci"]), notes]
