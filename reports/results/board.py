"""The leaderboard: each system by the judge, by experts and corrected by the audit, with its forest plot. No rows here.

Estimates come from the score document; the only counts made here are those of the grid's cells.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from reports.core.cells import percent_cell
from reports.core.datasets import OutputRow
from reports.core.figures.svg import Markup, element
from reports.results.graded import Graded, Reading
from reports.scores.shape import Score, clustering
from stats.core.display import rounded, rounded_percent
from stats.core.estimate import Estimate
from stats.scores.means import mean_by_cluster, share_by_cluster

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LEFT, _LONG = 8.0, 184.0  # where 0 is in a plot 200 wide, and how far 1 is from it


@dataclass(frozen=True)
class Line:
    """One system. `experts` is over the outputs they graded: a share, or a mean on a scale of numbers.

    `shown` is the estimate that the plot and the order use: corrected, else of experts, measured, or of the judge.
    """

    system: str
    letter: str
    judge: Estimate | None
    experts: Estimate | None
    corrected: Estimate | None
    measured: Estimate | None
    blank: int
    lacking: int

    @property
    def shown(self) -> Estimate | None:
        found = [
            one for one in (self.corrected, self.experts, self.measured) if one and one.value is not None
        ]
        return found[0] if found else self.judge


@dataclass(frozen=True)
class Board:
    """`heading` says what is counted. `top` is the largest value of the scale: 1 of shares. The judge is read by
    `metric`, corrected by `audit`.

    `means`: experts' figures are means of their numbers and no shares, also on a scale from 0 to 1.
    """

    heading: str
    lines: tuple[Line, ...]
    top: float
    judge_title: str
    measured_title: str
    metric: str
    audit: str
    means: bool

    def has(self, column: str) -> bool:
        return any(getattr(line, column) is not None for line in self.lines)

    @property
    def square(self) -> str:
        """The column that is drawn as squares; "" where there is only the judge."""
        return next((name for name in ("corrected", "experts", "measured") if self.has(name)), "")


def board(score: Score, found: Reading | None, counted: Mapping[str, OutputRow], methods: int) -> Board:
    """Best first by the estimate that is shown, ties by name. `counted` has the outputs that count, by subject."""
    judge, metric = score.judge, ""
    if judge:  # the metric of an audit; of a grading the one that is named like its question; else the first
        metric = found.key if found and found.key in judge.metrics else next(iter(judge.metrics), "")
    measures = score.measured.measures if score.measured else {}
    measure = next((key for key in measures if score.measured and score.measured.by_system(key)), "")
    measured = score.measured.by_system(measure) if score.measured and measure else {}
    # an audit that is shown is the one that corrects; else any closed one
    shown = found.campaign.slug if found and found.campaign and found.campaign.kind == "audit" else ""
    audits = [one for one in (judge.audits if judge else ()) if one.closed and metric in one.metrics]
    audit = next((one for one in audits if shown in ("", one.campaign)), None)
    corrected = audit.metrics[metric].corrected if audit else {}
    fixed = judge.by_system(metric) if judge else {}
    if fixed or found:
        measured = {}  # one kind of number decides the order
    experts, top = _experts(found, counted, methods), 1.0
    means = bool(found and found.campaign and found.scale.aggregation == "mean")
    if found and means:
        top = found.scale.range[1]
        fixed, corrected, measured = {}, {}, {}  # another scale than the one of the plot
    lines = []
    for system, states in score.systems.items():
        blank = states.abstained + states.failed
        lines.append(
            Line(
                system,
                "",
                fixed[system].estimate if system in fixed else None,
                experts.get(system),
                corrected[system].estimate if system in corrected else None,
                measured[system].estimate if system in measured else None,
                blank,
                (states.missing or 0) + (states.not_released or 0),
            )
        )
    value = {line.system: line.shown.value if line.shown else None for line in lines}
    lines.sort(key=lambda line: (-(value[line.system] or 0.0), value[line.system] is None, line.system))
    attempts = Counter((row.system, row.instance) for row in counted.values())
    heading = "Problems solved" if found and not found.metric else "Successful answers"
    if max(attempts.values(), default=1) > 1:
        heading = "Successful attempts"
    return Board(
        "Mean level" if means else heading,
        tuple(replace(line, letter=letter(at)) for at, line in enumerate(lines)),
        top,
        judge.metrics[metric].title if judge and metric else "",
        measures[measure].title if measure else "",
        metric,
        audit.campaign if audit else "",
        means,
    )


def letter(at: int) -> str:
    """A to Z, then AA, AB, and so on."""
    return LETTERS[at] if at < 26 else f"{LETTERS[at // 26 - 1]}{LETTERS[at % 26]}"


def _experts(found: Reading | None, counted: Mapping[str, OutputRow], methods: int) -> Mapping[str, Estimate]:
    """Of the graded outputs of each system how many are solved, as the grid shows them; or their mean."""
    if not found or not found.campaign or not (found.scale.aggregation == "mean" or found.scale.passes):
        return {}
    own: dict[str, list[Graded]] = defaultdict(list)
    for subject, output in found.outputs.items():
        if subject in counted:
            own[counted[subject].system].append(output)
    estimates, way = {}, clustering(methods)
    for system, some in own.items():
        # records of older artifacts keep the intervals of outputs that are independent
        papers = [counted[one.subject].cluster if methods > 6 else one.subject for one in some]
        if found.scale.aggregation == "mean":
            levels = [one.number for one in some]
            estimates[system] = mean_by_cluster(levels, papers, "mean_over_outputs", found.scale.range, way)
        else:
            estimates[system] = share_by_cluster([bool(one.solved) for one in some], papers, way)
    return estimates


def plot(line: Line, top: float) -> Markup:
    """Corrected (or the experts') value as a square with its interval, the judge alone as a circle."""

    def x(value: float) -> float:
        return _LEFT + _LONG * min(max(value / top, 0.0), 1.0)

    square = line.shown if line.shown is not line.judge else None
    parts = [element("path", class_="grid", d="M8 0V24M100 0V24M192 0V24")]
    if square and square.ci:
        parts.append(element("path", class_="ci", d=f"M{x(square.ci[0]):.1f} 12H{x(square.ci[1]):.1f}"))
    elif line.judge and line.judge.ci and not square:
        parts.append(
            element(
                "path", class_="ci judge-ci", d=f"M{x(line.judge.ci[0]):.1f} 12H{x(line.judge.ci[1]):.1f}"
            )
        )
    if line.judge and line.judge.value is not None:
        parts.append(element("circle", class_="judge", cx=x(line.judge.value), cy=12, r=4.5))
    if square and square.value is not None:
        parts.append(element("rect", class_="point", x=x(square.value) - 4.5, y=7.5, width=9, height=9))
    said = f"{line.letter}: {spoken(line, top)}"
    return element("svg", *parts, viewBox="0 0 200 24", class_="forest", role="img", aria_label=said)


def spoken(line: Line, top: float) -> str:
    """The plot in words."""
    words = []
    for name in ("corrected", "experts", "measured", "judge"):
        estimate: Estimate | None = getattr(line, name)
        if (
            estimate is not None
            and estimate.value is not None
            and (estimate is line.shown or name == "judge")
        ):
            value, ends = value_of(estimate, top), interval_of(estimate, top)
            title = "AI judge alone" if name == "judge" else name
            words.append(f"{title} {value}" + (f", 95 % interval {ends}" if ends else ""))
    return "; ".join(words) or "no value"


def value_of(estimate: Estimate, top: float = 1.0) -> str:
    """ "50 %", or a mean with one decimal on another scale; "" where undefined."""
    if estimate.value is None:
        return ""
    return _shown(estimate.value, top) + (" %" if top == 1 else "")


def interval_of(estimate: Estimate, top: float = 1.0) -> str:
    """ "9 to 91"; "" without one."""
    if estimate.ci is None:
        return ""
    return " to ".join(_shown(end, top) for end in estimate.ci)


def _shown(value: float, top: float) -> str:
    """In whole percent, or with the decimals, at most two, that tell it from 0 and 100."""
    if top != 1:
        return rounded(value, places=1)
    shown = (rounded_percent(value, places=places) for places in range(3))
    return next((text for text in shown if 0 < float(text) < 100), rounded_percent(value, places=0))


def counts_of(estimate: Estimate) -> str:
    """ "28 of 40"; "" where the value is not a count."""
    return percent_cell(estimate).counts.replace("/", " of ") if estimate.k is not None else ""
