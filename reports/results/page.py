"""The results page as template context: leaderboard, grid, what follows from them, and the notes. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from accounts.profile.domains import domain_words
from benchmark.rubrics import rubric_from_content
from reports.comparison.document import family_of, told_apart
from reports.core.cells import number_cell, percent_cell
from reports.core.datasets import label_value
from reports.core.outcomes import EXPERTS, JUDGE, MEASURE, outcome_kinds, outcomes
from reports.core.wording import in_words, reason_sentence
from reports.exclusions.rules import primary_exclusion, without
from reports.results import sentences
from reports.results.board import Board, counts_of, interval_of, plot, value_of
from reports.results.graded import (
    Graded,
    RaterPair,
    Reading,
    agreeing,
    rater_number,
    rater_pairs,
)
from reports.results.grid import ROTATED_FROM, Cell, Problem, answer_words, listed, shade_of
from reports.scores.inputs import Inputs
from reports.scores.shape import Agreement, Score
from stats.core.estimate import Estimate
from stats.core.scale import Scale, value_words

_RATERS_ABREAST, _PAIRS_LISTED = 14, 20
_ERRORS_NAMED = 12


@dataclass(frozen=True)
class Names:
    """What the page calls things, and where a cell leads. `proofs` is empty for staff who must not know systems."""

    systems: Mapping[str, str]
    titles: Mapping[str, str]
    proofs: Mapping[str, str]
    href: Callable[[str, str], str]  # of a subject and its instance


def board_context(board: Board, names: Names) -> Mapping[str, object]:
    """The lines of the leaderboard with their plots, and which columns there are."""
    percent = board.top == 1
    lines = []
    for line in board.lines:
        name = names.systems.get(line.system, line.system)
        shown: dict[str, object] = {"line": line, "name": name, "plot": plot(line, board.top)}
        for key, top in _columns(board):
            estimate: Estimate | None = getattr(line, key)
            shown[key] = None
            if estimate is not None:
                shown[key] = {
                    "value": value_of(estimate, top),
                    "counts": counts_of(estimate),
                    "interval": interval_of(estimate, top),
                    "n": str(estimate.n or 0),
                    "reason": reason_sentence(estimate.reason) if estimate.value is None else "",
                }
        lines.append(shown)
    return {
        "lines": lines,
        **{f"has_{name}": board.has(name) for name, _ in _columns(board)},
        "top": "100 %" if percent else f"{board.top:.12g}",
        "middle": "50" if percent else f"{board.top / 2:.12g}",
        "heading": board.heading,
        "means": board.means,
        "square": board.square,
        "measured_title": board.measured_title,
    }


def _columns(board: Board) -> tuple[tuple[str, float], ...]:
    return (("judge", 1.0), ("experts", board.top), ("corrected", 1.0), ("measured", 1.0))


def apart_of(
    inputs: Inputs, board: Board, found: Reading | None
) -> tuple[dict[tuple[str, str], bool | None], int]:
    """Of every two systems by letter whether they can be told apart by what the leaderboard shows, and on how many
    problems two of them are compared.

    By a grading, by the judge or by a measure the items of two systems are paired. The outputs of an audit are not: it
    drew them by what the judge said, so it says nothing about pairs.
    """
    source = {"experts": EXPERTS, "measured": MEASURE, "": JUDGE}.get(board.square)
    wanted = f"{found.campaign.slug}:{found.key}" if source == EXPERTS and found and found.campaign else ""
    kind = next(
        (kind for kind in outcome_kinds(inputs) if kind.source == source and wanted in ("", kind.key)), None
    )
    if kind is None:
        return {}, 0
    compared = outcomes(inputs, kind)
    known = [line for line in board.lines if line.system in compared.successes]
    family = family_of(compared)
    apart = {
        (one.letter, two.letter): told_apart(compared, one.system, two.system, family=family)
        for one, two in combinations(known, 2)
    }
    outputs = Counter(item for line in known for item in compared.successes[line.system])
    return apart, len({instance for (instance, _), n in outputs.items() if n > 1})


def grid_context(rows: Sequence[Problem], found: Reading, board: Board, names: Names) -> Mapping[str, object]:
    """The cells of these problems; many systems become rows, so that the words keep their room."""
    rotated = len(board.lines) >= ROTATED_FROM
    systems = [
        {"letter": line.letter, "name": names.systems.get(line.system, line.system)} for line in board.lines
    ]
    shown = [
        [
            [
                _shown(cell, row, systems[at], names, several=len(cells) > 1 or cell.attempt > 1)
                for cell in cells
            ]
            for at, cells in enumerate(row.cells)
        ]
        for row in rows
    ]
    titled = [
        {
            "number": row.number,
            "title": names.titles.get(row.instance, row.instance),
            "field": domain_words(row.domain),
            "left_out": row.left_out,
            "instance": row.instance,
            "cells": cells,
        }
        for row, cells in zip(rows, shown, strict=True)
    ]
    levels = (
        []
        if found.scale.aggregation == "mean" or not found.campaign
        else [
            {
                "words": value_words(value).capitalize(),
                "shade": shade_of(found.scale, value),
                "solved": value in found.scale.success,
            }
            for value in sorted(
                found.scale.judgments,
                key=lambda value: (-shade_of(found.scale, value), value not in found.scale.success),
            )
        ]
    )
    return {
        "rotated": rotated,
        "systems": systems,
        "rows": titled,
        "turned": [{**system, "cells": [cells[at] for cells in shown]} for at, system in enumerate(systems)]
        if rotated
        else [],
        "fields": len({row.domain for row in rows}) > 1 and not rotated,
        "solved_levels": [level for level in levels if level["solved"]],
        "other_levels": [level for level in levels if not level["solved"]],
        "marks": {
            "verdict": any(cell["verdicts_differ"] for row in shown for cells in row for cell in cells),
            "level": any(":" in str(cell["mark"]) for row in shown for cells in row for cell in cells),
            "decided": any(cell["decided"] for row in shown for cells in row for cell in cells),
            "fewer": any("/" in str(cell["mark"]) for row in shown for cells in row for cell in cells),
        },
    }


def _shown(
    cell: Cell, row: Problem, system: Mapping[str, str], names: Names, *, several: bool
) -> dict[str, object]:
    attempt = f", attempt {cell.attempt}" if several else ""
    said = f"Problem {row.number}, {system['name']}{attempt}: {cell.spoken}"
    return {
        **vars(cell),
        "letter": system["letter"],
        "href": names.href(cell.subject, row.instance),
        "spoken": said,
    }


def trust_sentences(
    inputs: Inputs, score: Score, board: Board, found: Reading | None
) -> list[sentences.Sentence]:
    """How to read the numbers: who can be told apart, how the judge errs, how far referees agree."""
    letters = [line.letter for line in board.lines]
    said = [sentences.told_apart_words(letters, *apart_of(inputs, board, found))]
    said += [sentences.left_out_words(rule) for rule in score.exclusions or () if rule.primary]
    if matrix := audited_counts(score, board):
        said.append(sentences.judge_errors_words(**matrix))
    elif score.judge:
        said.append(sentences.Sentence("The AI judge has not been audited."))
    if found and found.campaign:
        what = "solved or not" if found.scale.passes else "the answer"
        verdicts = [verdicts_of(one, found) for one in _counted(inputs, found)]
        alpha = _primary(score, found)
        words = f"α = {number_cell(alpha, places=2).value}" if alpha and alpha.value is not None else ""
        said.append(sentences.unanimity_words(agreeing(verdicts), what, words, len(verdicts)))
    return [sentence for sentence in said if sentence]


def _counted(inputs: Inputs, found: Reading) -> list[Graded]:
    """The outputs that the score's agreement is about: without those of a primary exclusion rule."""
    left = {row.subject for row in without(inputs, primary_exclusion(inputs)).outputs}
    return [graded for subject, graded in found.outputs.items() if subject in left]


def verdicts_of(graded: Graded, found: Reading) -> list[object]:
    """Solved or not by each expert; the values themselves where the scale does not say what is solved."""
    values: list[object] = [*graded.answers.values()]
    return [value in found.scale.success for value in values] if found.scale.passes else values


def audited_counts(score: Score, board: Board) -> dict[str, int]:
    """The table of judge and experts of the audit that is shown; empty without one."""
    audits = {audit.campaign: audit for audit in (score.judge.audits if score.judge else ()) if audit.closed}
    metrics = audits[board.audit].metrics if board.audit else {}
    return metrics[board.metric].in_sample.counts if board.metric in metrics else {}


def splits_context(
    found: Reading, names: Names, numbers: Mapping[str, Problem], by: str, pair: tuple[str, str] | None
) -> Mapping[str, object]:
    """Outputs that are splits by the campaign's threshold, and those that differ in the level alone.

    With `pair` only those on which these two raters differ.
    """
    listed_: dict[bool, list[dict[str, object]]] = {True: [], False: []}
    for subject, graded in found.outputs.items():
        if not graded.levels_differ or subject not in numbers:
            continue
        if pair and not (
            set(pair) <= graded.answers.keys() and graded.answers[pair[0]] != graded.answers[pair[1]]
        ):
            continue
        row = numbers[subject]
        listed_[pair is not None or graded.splits(by)].append(
            {
                "name": names.proofs.get(subject, ""),
                "number": row.number,
                "title": names.titles.get(row.instance, row.instance),
                # staff who must not know systems get no names of referees either, as on the page of an item
                "levels": ", ".join(
                    f"R{rater_number(rater)} {answer_words(value)}" for rater, value in graded.answers.items()
                )
                if names.proofs
                else listed(sorted(graded.answers.values())),
                "decision": decision_words(graded, found.scale),
                "href": names.href(subject, row.instance),
            }
        )
    for rows in listed_.values():
        # without names by what says nothing: the order of the outputs would be that of the systems
        rows.sort(key=lambda one: (one["number"], one["name"] or one["href"]))
    several = [graded for graded in found.outputs.values() if len(graded.answers) > 1]
    return {
        "splits": listed_[True],
        "levels_only": listed_[False],
        "several": len(several),
        "by": by,
        "passes": found.scale.passes,
        "pair": [f"R{rater_number(rater)}" for rater in pair] if pair else [],
    }


def decision_words(graded: Graded, scale: Scale) -> str:
    """What became of an output on which referees differ."""
    if graded.solved is None:
        return f"{value_words(graded.level)}, decided" if graded.decided else "not decided"
    solved = "solved" if graded.solved else "not solved"
    if graded.decided:
        return f"{solved}, by adjudicator"
    passed = sum(value in scale.success for value in graded.answers.values())
    evenly = not graded.solved and 2 * passed == len(graded.answers)
    return f"{solved}, evenly split" if evenly else f"{solved}, by majority"


def pairs_context(found: Reading) -> Mapping[str, object]:
    """Who differs from whom: a table of all pairs, or of many raters the pairs that differ most."""
    pairs = rater_pairs(found.outputs.values())
    raters = sorted({rater for pair in pairs for rater in (pair.first, pair.second)}, key=rater_number)
    known = {(pair.first, pair.second): _pair(pair) for pair in pairs}
    table = []
    if len(raters) <= _RATERS_ABREAST:
        for at, one in enumerate(raters[:-1]):
            cells = [
                None if two <= at else known.get((one, raters[two]), {}) for two in range(1, len(raters))
            ]
            table.append({"name": f"R{rater_number(one)}", "cells": cells})
    by_rate = sorted(pairs, key=lambda pair: (-pair.differ / pair.both, -pair.both))
    return {
        "heads": [f"R{rater_number(rater)}" for rater in raters[1:]],
        "table": table,
        "listed": [] if table else [_pair(pair) for pair in by_rate[:_PAIRS_LISTED]],
        "n_pairs": len(pairs),
        "least": min((pair.both for pair in pairs), default=0),
        "most": max((pair.both for pair in pairs), default=0),
    }


def _pair(pair: RaterPair) -> dict[str, object]:
    one, two = rater_number(pair.first), rater_number(pair.second)
    share = pair.differ / pair.both
    return {
        "names": f"R{one} and R{two}",
        "key": f"{one}-{two}",
        "words": f"{pair.differ}/{pair.both}",
        "spoken": f"R{one} and R{two}: {pair.differ}/{pair.both} differ",
        "heat": 0 if not pair.differ else 1 if share < 1 / 3 else 2 if share < 2 / 3 else 3,
    }


def agreement_context(inputs: Inputs, score: Score, found: Reading) -> Mapping[str, object]:
    """The primary coefficient of the question that is shown, and counts of every question."""
    assert found.campaign is not None
    counted = _counted(inputs, found)
    rubric = rubric_from_content(dict(found.campaign.rubric))
    bundles = _agreements(score, found)
    said: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    scales = {question.key: question.scale for question in rubric.questions if question.scale.has_values}
    for label in without(inputs, primary_exclusion(inputs)).labels:
        if label.campaign == found.campaign.slug and label.question in scales:
            value = label_value(scales[label.question], label)
            if value:
                said[label.question][label.subject, label.step].append(value)
    rows = []
    for key in scales:
        bundle = bundles.get(key)
        alpha = bundle.coefficients.get(f"krippendorff_alpha_{bundle.level}") if bundle else None
        rows.append(
            {
                "key": key,
                "title": in_words(key).capitalize(),
                "counts": agreeing(said[key].values()),
                "alpha": number_cell(alpha, places=2) if alpha else None,
            }
        )
    if found.scale.passes and len(found.scale.judgments) > 2:
        verdicts = [verdicts_of(one, found) for one in counted]
        rows.insert(0, {"key": "", "title": "Solved or not", "counts": agreeing(verdicts), "alpha": None})
    primary = _primary(score, found)
    ranked = sorted(found.scale.judgments, key=found.scale.height) if found.scale.ranked else []
    distances = [
        abs(ranked.index(one) - ranked.index(two))
        for graded in counted
        for one, two in combinations([value for value in graded.answers.values() if value in ranked], 2)
    ]
    return {
        "alpha": number_cell(primary, places=2) if primary else None,
        "level": found.scale.level,
        "apart": sentences.by_one_level_words(distances) if len(ranked) > 2 else "",
        "rows": rows,
    }


def _agreements(score: Score, found: Reading) -> Mapping[str, Agreement]:
    slug = found.campaign.slug if found.campaign else ""
    return next((one.agreement for one in score.experts if one.campaign == slug), {})


def _primary(score: Score, found: Reading) -> Estimate | None:
    """Alpha at the level of the scale; of a metric that needs several answers there is none."""
    keys = [found.question.key] if found.question else found.metric.needs if found.metric else ()
    bundle = _agreements(score, found).get(keys[0]) if len(keys) == 1 else None
    return bundle.coefficients.get(f"krippendorff_alpha_{bundle.level}") if bundle else None


def audit_context(
    score: Score,
    board: Board,
    audited: Reading | None,
    names: Names,
    instance_of: Mapping[str, str],
    n_read: int,
) -> Mapping[str, object] | None:
    """Judge against experts: four counts with links to the errors, and the share that is right.

    `n_read` are the answers about which the judge was asked.
    """
    counts = audited_counts(score, board)
    if not counts or score.judge is None:
        return None
    audit = next(one for one in score.judge.audits if one.campaign == board.audit)
    metric = audit.metrics[board.metric]
    errors = {}
    for cell in ("fp", "fn"):
        some = [one.subject for one in audited.outputs.values() if one.cell == cell] if audited else []
        named = [
            {"name": names.proofs[subject], "href": names.href(subject, instance_of[subject])}
            for subject in some
            if subject in names.proofs
        ]
        errors[cell] = {"named": named[:_ERRORS_NAMED], "more": max(0, len(named) - _ERRORS_NAMED)}
    right = percent_cell(metric.in_sample.agreement)
    return {
        "name": audit.name,
        "campaign": audit.campaign,
        "title": board.judge_title,
        "label": score.judge.label,
        "drawn": audit.drawn,
        "outputs": n_read,
        "counts": counts,
        "right": counts["tp"] + counts["tn"],
        "all": metric.eligible,
        "excluded": metric.excluded - (metric.missing or 0),
        "missing": metric.missing or 0,
        "interval": right.interval,
        "precision": (counts["tp"], counts["tp"] + counts["fp"]),
        "errors": errors,
    }
