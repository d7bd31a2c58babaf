"""Documents of stats.analyses as sections of a page: tables, figures, and what to know, in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.core.cells import bounds_words, number_cell, p_words, percent_cell
from reports.core.estimates import with_estimates
from reports.core.figures.confusion import confusion_matrix
from reports.core.figures.forest import ForestMark, Group, forest_plot
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.figures.reliability import reliability_curve
from reports.core.figures.shares import share_bars
from reports.core.figures.spans import Span, round_scale, span_plot
from reports.core.figures.svg import Markup
from reports.core.wording import ADVICE, coefficient_name, from_to, in_words, sentence_of
from stats.agreement.bundle import COEFFICIENTS
from stats.agreement.icc import FORMS
from stats.agreement.two_raters import RELATIONS
from stats.audit.confusion import METRICS
from stats.core.display import rounded, rounded_percent
from stats.core.estimate import Estimate
from stats.core.text import counted

Document = Mapping[str, Any]
MOST_RATERS, MOST_SYSTEMS, MOST_ROWS = 16, 30, 200
_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Plot:
    """A drawing with the line below it."""

    drawing: Markup
    caption: str


@dataclass(frozen=True)
class TableView:
    """A table: caption, heads, rows of texts and Cells (reports.core.cells). The first cell of a row is its head."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True)
class Section:
    """A heading with a line of counts, pictures and tables; `more` are tables that are folded away."""

    title: str
    counts: str = ""
    figures: Sequence[Plot] = ()
    tables: Sequence[TableView] = ()
    notes: Sequence[str] = field(default_factory=tuple)
    more: Sequence[TableView] = ()


@dataclass(frozen=True)
class Warned:
    """A reason or caution that occurs in a document, and what to do about it, "" where there is nothing."""

    code: str
    words: str
    advice: str


@dataclass(frozen=True)
class AnalysisPage:
    sections: Sequence[Section]
    cautions: Sequence[Warned]


def analysis_page(analysis: str, document: Document) -> AnalysisPage:
    """The sections of an analysis, and its cautions with what to do about them."""
    makers = {
        "agreement": _agreement,
        "difference": _difference,
        "systems": _systems,
        "audit": _audit,
        "corrected": _corrected,
        "calibration": _calibration,
        "pairs": _pairs,
        "gold": _gold,
        "errors": _errors,
        "retrieval": _retrieval,
    }
    return AnalysisPage(
        list(makers[analysis](with_estimates(document))),
        [Warned(code, sentence_of(code), ADVICE.get(code, "")) for code in sorted(set(_codes(document)))],
    )


def _codes(part: Any) -> Iterator[str]:
    """Every reason and warning anywhere in a document."""
    if isinstance(part, Mapping):
        for key, value in part.items():
            if key == "reason" and value:
                yield str(value)
            elif key == "swap_consistency":  # undefined whenever nothing was shown in both orders
                continue
            elif key in ("warnings", "kappa_warnings") and value:
                yield from map(str, value)
            else:
                yield from _codes(value)
    elif isinstance(part, list):
        for entry in part:
            yield from _codes(entry)


def _estimates(caption: str, document: Document, names: Sequence[str]) -> TableView:
    """Given ones with value and interval; undefined ones last, with their reason."""
    cells = [(coefficient_name(name), number_cell(document[name])) for name in names]
    ordered = sorted(cells, key=lambda named: not named[1].value)
    return TableView(caption, ("", "Value and interval"), [[name, cell] for name, cell in ordered])


def _agreement(document: Document) -> Iterator[Section]:
    for number, (question, bundle) in enumerate(document["questions"].items()):
        primary, pairs = bundle["primary"], bundle["pairs"]
        others = [
            name for name in ("percent_pooled", *COEFFICIENTS, *FORMS) if name not in (primary, "percent")
        ]
        tables = [_estimates("Primary coefficient and percent agreement", bundle, (primary, "percent"))]
        more = [_estimates("Other coefficients", bundle, others)]
        if bundle["per_category"]:
            marginals = bundle["marginals"]
            values = [
                [value, f"{rounded_percent(marginals[value])} %", "" if share is None else rounded(share)]
                for value, share in bundle["per_category"].items()
            ]
            more.append(TableView("Values", ("", "Share of labels", "Specific agreement"), values))
        if pairs:
            rows = [
                [
                    " / ".join(pair["raters"]),
                    str(pair["n_items"]),
                    percent_cell(pair["percent"]),
                    number_cell(pair["cohen_kappa"]),
                    "" if pair["kappa_max"] is None else rounded(pair["kappa_max"]),
                ]
                for pair in pairs[:MOST_ROWS]
            ]
            caption = "Pairs of raters"
            if len(pairs) > MOST_ROWS:
                caption += f", the first {MOST_ROWS} of {len(pairs)}"
            columns = ("", "Common items", "Percent agreement", "Cohen’s kappa", "Largest kappa possible")
            tables.append(TableView(caption, columns, rows))
        if pairs and bundle["level"] != "nominal":
            relations = [
                [" / ".join(pair["raters"]), *(number_cell(pair[name]) for name in RELATIONS)]
                for pair in pairs[:MOST_ROWS]
            ]
            head = ("", *(coefficient_name(name) for name in RELATIONS))
            caption = "Scores of pairs of raters; bias is the first minus the second"
            more.append(TableView(caption, head, relations))
        notes = []
        if dropped := len(bundle["pairs_dropped"]):
            notes.append(
                f"{counted(dropped, 'pair of raters has', 'pairs of raters have')} fewer than ten common items and no "
                "row in the table."
            )
        if bundle["exchangeable"]:
            notes.append("Coefficients and pairs that need to know who gave which label are left out.")
        raters = "raters not told apart" if bundle["exchangeable"] else counted(bundle["n_raters"], "rater")
        yield Section(
            question or "All labels",
            f"{counted(bundle['n_items'], 'item')}, {bundle['n_pairable']} of them with two or more raters; "
            f"{raters}, {counted(bundle['n_labels'], 'label')}, level {bundle['level']}; "
            f"{bundle['n_abstain']} abstained, {bundle['n_unavailable']} unavailable. "
            f"{bundle['agreeing_pairs']} of {counted(bundle['label_pairs'], 'pair')} of labels agree. "
            f"{_left_out_one(bundle['unit'])}",
            figures=_kappas(pairs, number),
            tables=tables,
            notes=notes,
            more=more,
        )


def _left_out_one(unit: str) -> str:
    return f"Intervals leave out one {unit} at a time."


def _difference(document: Document) -> Iterator[Section]:
    for question, found in document["questions"].items():
        rows: list[list[object]] = []
        for side in ("first", "second"):
            raters = found[side]["raters"]
            listed = ", ".join(raters[:MOST_RATERS]) or "nobody"
            if len(raters) > MOST_RATERS:
                listed += f" and {len(raters) - MOST_RATERS} more"
            rows.append([f"Alpha of the {side}: {listed}", number_cell(found[side]["alpha"])])
        rows.append(["First minus second", number_cell(found["difference"])])
        tested = f" p {p_words(found['p'])} of no difference." if found["p"] is not None else ""
        yield Section(
            question or "All labels",
            f"{counted(found['n_items'], 'item')} with two labels of each group, "
            f"{counted(found['items_left_out'], 'other')} left out. "
            f"{coefficient_name(found['coefficient'])}.{tested} {_left_out_one(found['unit'])}",
            tables=[TableView("Two groups of raters on the same items", ("", "Value and interval"), rows)],
        )


def _systems(document: Document) -> Iterator[Section]:
    for question, found in document["questions"].items():
        shares = document["positive"] is not None
        rows, notes = [], []
        for row in found["systems"]:
            shown: list[object] = [
                row["system"],
                f"{row['labelled']} of {row['outputs']}",
                from_to(row["raters_per_output"]),
            ]
            if shares:
                shown += [percent_cell(row["majority"]), str(row["ties"]), percent_cell(row["unanimous"])]
            rows.append([*shown, number_cell(row["mean"])])
            # what the system lacks, in a sentence
            lacks = []
            if row["unlabelled"]:
                lacks.append(f"{counted(row['unlabelled'], 'output')} without a label")
            if row["missing_instances"]:
                lacks.append(f"{counted(row['missing_instances'], 'problem')} that others have labels of")
            said = f"{row['system']} lacks {' and '.join(lacks)}." if lacks else ""
            if bounds := bounds_words(row["majority"]):
                said = said or f"{row['system']}:"
                said += f" Whatever unlabelled outputs and ties are, the majority lies between {bounds}."
            if said:
                notes.append(said)
        head = ["", "Labelled outputs", "Raters per output"]
        head += ["By majority", "Ties", "Unanimously"] if shares else []
        yield Section(
            question or "All labels",
            f"{counted(found['outputs'], 'output')}, level {found['level']}. Shares are of labelled outputs; a tie and "
            "an abstained label are not successes.",
            tables=[TableView("Systems", (*head, "Mean"), rows)],
            notes=notes,
        )


def _errors(document: Document) -> Iterator[Section]:
    for question, part in document["questions"].items():
        yield Section(
            question or "All labels",
            f"{counted(part['n_items'], 'item')}, {counted(part['n_labels'], 'label')}; the model overturns "
            f"{counted(part['n_overturned'], 'majority', 'majorities')} and is unsure of "
            f"{counted(part['n_unsure'], 'item')}.",
            tables=error_tables(part),
            notes=document["assumptions"],
        )


def error_tables(part: Document) -> list[TableView]:
    """Values, raters and scores as they are labelled, and without the raters' errors."""
    values = [
        [row["value"], "" if row["plain"] is None else rounded(row["plain"]), number_cell(row["share"])]
        for row in part["values"]
    ]
    raters = [
        [row["rater"], str(row["n_labels"]), percent_cell(row["accuracy"]), number_cell(row["severity"])]
        for row in part["raters"]
    ]
    plain = "" if part["plain_score"] is None else f" (as labelled: {rounded(part['plain_score'])})"
    scores = [[row["system"] or "All", number_cell(row["adjusted"])] for row in part["scores"]]
    return [
        TableView(
            "Shares of the values", ("", "Of the labels", "Of the items, freed of errors"), values[:MOST_ROWS]
        ),
        TableView(
            "Raters: accuracy, and severity in logits (positive: says success less often)",
            ("", "Labels", "Accuracy", "Severity"),
            raters[:MOST_ROWS],
        ),
        TableView(
            f"Share of successes that a rater of mean severity would give{plain}",
            ("", "Value and interval"),
            scores[:MOST_ROWS],
        ),
    ]


def _kappas(pairs: Sequence[Document], number: int) -> list[Plot]:
    names = list(dict.fromkeys(name for pair in pairs for name in pair["raters"]))
    if not 2 < len(names) <= MOST_RATERS:
        return []
    cells = {}
    for pair in pairs:
        kappa = pair["cohen_kappa"].value
        if kappa is None:
            continue
        row, column = (names.index(name) for name in pair["raters"])
        shown = Shaded(rounded(kappa, places=2), f"n {pair['n_items']}", shade(kappa))
        cells[row, column] = cells[column, row] = shown
    reading = "Cohen’s kappa of each pair of raters, with their common items."
    drawing = shaded_matrix("Kappa of pairs of raters", names, cells, key=f"kappas-{number}", reading=reading)
    return [Plot(drawing, reading)]


def _audit(document: Document) -> Iterator[Section]:
    yield _one_audit("Judge against experts", document, "all")
    for number, (system, single) in enumerate(document.get("systems", {}).items()):
        yield _one_audit(f"System {system or 'not named'}", single, f"system-{number}")
    for number, (question, single) in enumerate(document.get("questions", {}).items()):
        yield _one_audit(question or "No question named", single, str(number))


def _one_audit(title: str, document: Document, key: str) -> Section:
    inside = document["in_sample"]
    rows = [
        [coefficient_name(name), number_cell(document["weighted"][name]), number_cell(inside[name])]
        for name in METRICS
    ]
    drawing = confusion_matrix(f"{title}: audited outputs", inside, key=f"confusion-{key}")
    return Section(
        title,
        f"{document['eligible']} eligible pairs, {document['excluded']} excluded, "
        f"{document['unaudited']} verdicts without an audit.",
        figures=[Plot(drawing, "Audited outputs, as they are in the sample.")],
        tables=[
            TableView(
                "Weighted by the design, and in the sample only",
                ("", "Weighted by the design", "In the sample"),
                rows,
            )
        ],
    )


def _corrected(document: Document) -> Iterator[Section]:
    yield _one_score(f"Share of “{document['positive']}”", document, "corrected")
    for number, (system, single) in enumerate(document.get("systems", {}).items()):
        yield _one_score(f"System {system or 'not named'}", single, f"corrected-{number}")


def _one_score(title: str, document: Document, key: str) -> Section:
    names = (
        ("uncorrected", "As the judge says"),
        ("corrected", "Corrected, these outputs"),
        ("superpopulation", "Corrected, new outputs like these"),
    )
    judged, corrected, wider = (document[name] for name, _ in names)
    groups = [
        Group(
            "These outputs",
            [_mark("judge", "Judge", judged), _mark("corrected", "Corrected by experts", corrected)],
        ),
        Group("New outputs like these", [_mark("corrected", "Corrected by experts", wider)]),
    ]
    bounds = bounds_words(document["corrected"])
    forest = forest_plot("Score before and after correction", groups, key=key)
    return Section(
        title,
        figures=[Plot(forest, "Score before and after correction.")],
        tables=[
            TableView(
                "Scores",
                ("", "Value and interval"),
                [[title, percent_cell(document[name])] for name, title in names],
            ),
            TableView(
                "More: if the judge errs elsewhere as it did on the audited outputs, given the truth "
                "(Rogan and Gladen)",
                ("", "Value and interval"),
                [["Corrected by sensitivity and specificity", percent_cell(document["rogan_gladen"])]],
            ),
            TableView(
                "Strata",
                ("", "Outputs", "Audited", "Successes found", "The judge’s successes"),
                [
                    [
                        in_words(row["stratum"]) or "all",
                        *(str(row[key]) for key in ("size", "sampled", "successes", "judged_positive")),
                    ]
                    for row in document["strata"][:MOST_ROWS]
                ],
            ),
        ],
        notes=[f"Whatever the unaudited strata hold, the score lies between {bounds}."] if bounds else [],
    )


def _mark(kind: str, label: str, estimate: Estimate) -> ForestMark:
    return ForestMark(kind, label, estimate.value, estimate.ci, "undefined")


def _pairs(document: Document) -> Iterator[Section]:
    systems = sorted(
        document["systems"], key=lambda row: (row["strength"].value is None, -(row["strength"].value or 0))
    )
    rows = [
        [
            row["system"],
            *(str(row[key]) for key in ("wins", "losses", "ties")),
            percent_cell(row["win_rate"]),
            percent_cell(row["half_tie_rate"]),
            number_cell(row["strength"], places=2),
            from_to(row["rank"]),
        ]
        for row in systems
    ]
    head = ("", "Wins", "Losses", "Ties", "Wins of all", "Ties as half", "Strength", "Rank")
    yield Section(
        "Systems",
        f"{counted(document['comparisons'], 'comparison')} from {counted(document['presentations'], 'presentation')}; "
        f"{document['order_flips']} changed with the order and "
        f"{'count by their net score' if document['orders'] == 'net' else 'count as ties'}.",
        figures=list(_pair_figures(systems[:MOST_SYSTEMS])),
        tables=[TableView("Wins, strengths and ranks", head, rows)],
        notes=[
            f"Cycle of the majority: {' beats '.join(cycle)}." for cycle in document["transitivity"]["cycles"]
        ],
    )
    bias, notes = document["position_bias"], []
    if bias["p"] is not None:
        notes.append(f"Does the first shown win more often, over all presentations? p {p_words(bias['p'])}.")
    if bias["swap_p"] is not None:
        notes.append(
            "Of pairs shown in both orders where the same slot won twice, is it the first slot more often? "
            f"p {p_words(bias['swap_p'])}."
        )
    yield Section(
        "Order and position",
        tables=[
            TableView(
                "Does the place on the page matter?",
                ("", "Value and interval"),
                [
                    ["Share won by the first shown", percent_cell(bias["first_slot_share"])],
                    ["Same winner in both orders", percent_cell(bias["swap_consistency"])],
                    ["Order effect (log strength)", number_cell(document["order_effect"])],
                    ["Tie parameter", number_cell(document["tie_parameter"])],
                ],
            )
        ],
        notes=notes,
    )


def _pair_figures(systems: Sequence[Document]) -> Iterator[Plot]:
    bars = {row["system"]: {key: row[key] for key in ("wins", "ties", "losses")} for row in systems}
    if any(sum(counts.values()) for counts in bars.values()):
        drawing = share_bars("Wins, ties and losses", ("wins", "ties", "losses"), bars, key="outcomes")
        yield Plot(drawing, "Wins, ties and losses of each system.")
    spans = []
    for row in systems:
        strength, cell = row["strength"], number_cell(row["strength"], places=2)
        if strength.value is not None:
            shown = f"{cell.value} {cell.interval}".strip()
            spans.append(Span(row["system"], strength.value, strength.ci, shown))
    if spans:
        scale = round_scale([end for span in spans for end in (span.value or 0.0, *(span.ends or ()))])
        reading = "Davidson strength with its interval."
        yield Plot(span_plot("Strengths", spans, scale, key="strengths", reading=reading), reading)


def _calibration(document: Document) -> Iterator[Section]:
    for place, (question, found) in enumerate(document["questions"].items()):
        for number, judge in enumerate(found["judges"]):
            name = " ".join(part for part in (judge["judge"], judge["judge_version"]) if part)
            names = ("auc", "brier", "overconfidence")
            curve = []
            for row in judge["curve"]:
                scores = from_to([rounded(row[end], places=2) for end in ("low", "high")])
                mean = rounded(row["mean_score"])
                curve.append([scores, str(row["n"]), mean, percent_cell(row["share"])])
            drawing = reliability_curve(
                f"Reliability of {name or 'the judge'}", judge["curve"], key=f"reliability-{place}-{number}"
            )
            shown = judge["brier"].reason != "NOT_A_SHARE" and judge["curve"]
            yield Section(
                ": ".join(part for part in (question, name) if part) or "Scores",
                f"{judge['scored']} scored items with a yes or no, {judge['true']} of them true; "
                f"{judge['missing']} without a score, {found['splits']} on which experts split, "
                f"{found['excluded']} that are neither. {_left_out_one(found['unit'])}",
                figures=[
                    Plot(drawing, "Share that is true, by score. A calibrated judge keeps to the diagonal.")
                ]
                if shown
                else (),
                tables=[
                    _estimates("Ranking and calibration", judge, names),
                    TableView("Reliability", ("Score", "Items", "Mean score", "Share that is true"), curve),
                ],
            )


def _gold(document: Document) -> Iterator[Section]:
    rules = (("net", "net score of both orders"), ("agree", "only if all votes agree"))
    rows = [
        [
            f"{' '.join(part for part in (judge['judge'], judge['judge_version']) if part)}, {title}",
            percent_cell(judge[rule]["accuracy"]),
            *(str(judge[rule][name]) for name in ("correct", "incorrect", "ties")),
            str(judge["missing"]),
        ]
        for judge in document["judges"]
        for rule, title in rules
    ]
    yield Section(
        "Judges against gold",
        f"{counted(document['gold'], 'pair')} with a gold choice; left out: "
        f"{counted(document['gold_ties'], 'gold tie')} and "
        f"{counted(document['without_gold'], 'pair')} without gold. A tie is not a correct choice.",
        tables=[
            TableView(
                "Share of pairs of which the judge names the better output",
                ("", "Correct of judged", "Correct", "Wrong", "Ties", "Not judged"),
                rows,
            )
        ],
    )


def _retrieval(document: Document) -> Iterator[Section]:
    rows = [
        [
            row["system"],
            str(row["k"]),
            *(number_cell(row[name]) for name in ("p_at_k", "hit_at_k", "mrr_at_k")),
            str(row["unranked_queries"]),
        ]
        for row in document["systems"]
    ]
    head = ("", "k", "P@k", "Hit@k", "MRR@k", "Queries without a row")
    yield Section(
        "Ranked lists",
        f"{counted(document['queries'], 'query', 'queries')}; a query without a rank is a miss.",
        tables=[TableView("Systems", head, rows)],
    )
