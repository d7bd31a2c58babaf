"""Tables of a record as CSV, Markdown and LaTeX: the leaderboard, comparisons, the grid, labels. Pure.

CSV cells are safe for spreadsheets; what means something in Markdown or LaTeX is escaped there.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from typing import TypeVar

from reports.comparison.choices import Choice, Choices
from reports.core.datasets import ExpertLabel, Vote
from reports.core.downloads import table_lines
from reports.exclusions.rules import left_out
from reports.records.page import Shown
from reports.results.board import counts_of, interval_of, value_of
from reports.scores.inputs import Inputs
from stats.core.display import rounded
from stats.core.estimate import Estimate

T = TypeVar("T")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
_MARKDOWN = re.compile(r"([\\`*_\[\]#|<>~$&])")
COLUMNS = (("judge", "AI judge"), ("experts", "Experts"), ("corrected", "Corrected"), ("measured", ""))


def latex_text(text: str) -> str:
    """Text that LaTeX prints and does not run, on one line."""
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def board_rows(record: Shown) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the leaderboard; of every number its denominator and its 95 % interval."""
    used = [key for key, _ in COLUMNS if record.board.has(key)]
    head = ["system", *(f"{key}{part}" for key in used for part in ("", "_n", "_low", "_high"))]
    rows = []
    for line in record.board.lines:
        row = [record.system(line.system)]
        for key in used:
            estimate: Estimate | None = getattr(line, key)
            if estimate is None or estimate.value is None:
                row += ["", "", "", ""]
                continue
            places = 4 if record.board.top == 1 else 2
            ends = [rounded(end, places=places) for end in estimate.ci] if estimate.ci else ["", ""]
            row += [rounded(estimate.value, places=places), str(estimate.n or ""), *ends]
        rows.append(row)
    return head, rows


def board_csv(record: Shown) -> bytes:
    head, rows = board_rows(record)
    return "".join(table_lines([list(row) for row in (head, *rows)])).encode()


def _short(record: Shown) -> tuple[list[str], list[list[str]]]:
    """The leaderboard in one cell for each number: "50 % (9 to 91), 28 of 40"."""
    used = [(key, title or record.board.measured_title) for key, title in COLUMNS if record.board.has(key)]
    rows = []
    for line in record.board.lines:
        row = [record.system(line.system)]
        for key, _ in used:
            estimate: Estimate | None = getattr(line, key)
            if estimate is None or estimate.value is None:
                row.append("")
                continue
            top, counts = record.board.top, counts_of(estimate)
            ends = f" ({interval_of(estimate, top)})" if estimate.ci else ""
            row.append(value_of(estimate, top) + ends + (f", {counts}" if counts else ""))
        rows.append(row)
    return ["System", *(title for _, title in used)], rows


def board_markdown(record: Shown) -> bytes:
    return _markdown(*_short(record))


def board_latex(record: Shown) -> bytes:
    """A table for \\input, with booktabs."""
    return _latex(*_short(record), texts=1)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    lines = [head, ["---"] * len(head), *([markdown_text(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).encode()


def _latex(head: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int) -> bytes:
    """The first `texts` columns are text, the others numbers."""
    body = [" & ".join(map(latex_text, row)) for row in rows]
    lines = [
        "% Needs \\usepackage{booktabs}. Intervals are 95 %.",
        f"\\begin{{tabular}}{{{'l' * texts}{'r' * (len(head) - texts)}}}",
        "\\toprule",
        " & ".join(map(latex_text, head)) + r" \\",
        "\\midrule",
        # no command before a row must take it for its option, as `\\` and `\midrule` do with [ and *
        *(("{}" if row.startswith(("[", "*")) else "") + row + r" \\" for row in body),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return ("\n".join(lines) + "\n").encode()


def pairs_csv(record: Shown) -> bytes:
    """A row for each system and source of comparisons: wins, ties, losses, win rate, strength, best and worst rank."""
    numbers = ("win_rate", "strength")
    head: list[object] = ["source", "compared_by", "system", "wins", "ties", "losses"]
    head += [f"{name}{part}" for name in numbers for part in ("", "_low", "_high")] + ["best", "worst"]
    rows = [head]
    for source in record.compared:
        for one in source.systems:
            row: list[object] = [source.key, source.title, record.system(one.system)]
            row += [one.wins, one.ties, one.losses]
            for estimate in (one.win_rate, one.strength):
                ends = estimate.ci or ()
                # as numbers: the text of a negative one would be quoted for spreadsheets
                row += ["" if x is None else Decimal(rounded(x, places=4)) for x in (estimate.value, *ends)]
                row += [""] * (2 - len(ends))
            rows.append([*row, *(one.rank or ("", ""))])
    return "".join(table_lines(rows)).encode()


def pairs_markdown(record: Shown) -> bytes:
    return _markdown(*_pairs_in_words(record))


def pairs_latex(record: Shown) -> bytes:
    """A table for \\input, with booktabs."""
    return _latex(*_pairs_in_words(record), texts=2)


def _pairs_in_words(record: Shown) -> tuple[list[str], list[list[str]]]:
    head = ["Compared by", "System", "Wins", "Ties", "Losses", "Win rate", "Strength", "Rank"]
    rows = []
    for source in record.compared:
        for one in source.systems:
            counts = [str(number) for number in (one.wins, one.ties, one.losses)]
            shown = [one.win_rate_words, one.strength_words, one.rank_words]
            rows.append([source.title, record.system(one.system), *counts, *shown])
    return head, rows


def choices_csv(choices: Choices, inputs: Inputs) -> bytes:
    """Every choice between two answers, as it was shown, by referees under their numbers and by AI judges."""
    return _rows_csv(Choice, choices.rows, inputs, lambda row: row.first)


def grid_csv(record: Shown) -> bytes:
    """A row for each attempt: problem, title, field, system, what was said in words, whether it counts as solved."""
    gone = left_out(record.inputs)
    head = ["number", "problem", "title", "field", "system", "attempt", "level", "solved", "detail"]
    rows: list[list[object]] = [[*head, *["excluded"] * bool(gone)]]
    for row in record.rows:
        title = record.names.titles.get(row.instance, row.instance)
        for at, cells in enumerate(row.cells):
            system = record.system(record.board.lines[at].system)
            for cell in cells:
                solved = "yes" if cell.solved else "no" if cell.kind in ("graded", "judged", "blank") else ""
                line = [
                    row.number,
                    row.instance,
                    title,
                    row.domain,
                    system,
                    cell.attempt if cell.subject else "",
                ]
                line += [cell.words, solved, cell.spoken, *_excluded(row.instance in gone, gone)]
                rows.append(line)
    return "".join(table_lines(rows)).encode()


def labels_csv(inputs: Inputs) -> bytes:
    """Every answer of every referee, under their numbers."""
    return _rows_csv(ExpertLabel, inputs.labels, inputs, lambda row: row.subject)


def verdicts_csv(inputs: Inputs) -> bytes:
    """Every vote of the AI judge."""
    return _rows_csv(Vote, inputs.votes, inputs, lambda row: row.subject)


def _rows_csv(kind: type[T], rows: Iterable[T], inputs: Inputs, about: Callable[[T], str]) -> bytes:
    """`about` is the subject of a row. Where a primary rule leaves out what rows are about, a last column says so."""
    gone = left_out(inputs)
    out = {row.subject for row in inputs.outputs if row.instance in gone}
    head: list[object] = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    lines = [[*vars(row).values(), *_excluded(about(row) in out, gone)] for row in rows]
    return "".join(table_lines([head + ["excluded"] * bool(gone), *lines])).encode()


def _excluded(is_so: bool, gone: Collection[str]) -> list[str]:
    """The cell of a row, where any instances are `gone`."""
    return ["yes" if is_so else "no"] if gone else []


def comments_csv(remarks: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """What referees wrote about answers and passages."""
    rows: list[list[object]] = [["subject", "campaign", "rater", "about", "quote", "severity", "text"]]
    rows += [[one[0], one[1], one[2], one[3], "", "", one[5]] for one in remarks.get("answers", ())]
    rows += [
        [one[0], one[1], one[2], "passage", one[7], one[8], one[10]] for one in remarks.get("passages", ())
    ]
    return "".join(table_lines(rows)).encode()
