"""A forest plot: for each system the score before and after correction, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.core.figures.axis import Axis, draw_axis, fitting_axis
from reports.core.figures.svg import Markup, element, figure, line, text
from stats.core.display import rounded_percent

WIDTH, LEFT, RIGHT = 380.0, 8.0, 236.0
_NAME, _ROW, _GAP = 19.0, 18.0, 8.0
_COLOURS = {"judge": "#1f5fa8", "corrected": "#b3541e"}


@dataclass(frozen=True)
class Mark:
    """One row: a value with its interval, both proportions; `missing` says why there is no value.

    `kind` is judge or corrected; it decides the shape, so that colour is never the only sign.
    """

    kind: str
    label: str
    value: float | None
    ci: tuple[float, float] | None
    missing: str = ""

    @property
    def shown(self) -> str:
        if self.value is None:
            return self.missing
        ends = f" [{rounded_percent(self.ci[0])}, {rounded_percent(self.ci[1])}]" if self.ci else ""
        return f"{rounded_percent(self.value)}{ends}"


@dataclass(frozen=True)
class Group:
    """A system and its rows."""

    name: str
    marks: Sequence[Mark]


def forest_plot(title: str, groups: Sequence[Group], *, key: str) -> Markup:
    """The plot of `groups` in the order given; its description says every number in words."""
    ends = [end for g in groups for m in g.marks for end in (*(m.ci or ()), m.value) if end is not None]
    axis = fitting_axis(ends, LEFT, RIGHT)
    kinds = {mark.kind: mark.label for group in groups for mark in group.marks}
    top = 6 + _ROW * len(kinds) + 6
    drawn = [_legend(kinds)]
    y = top
    for group in groups:
        drawn.append(_group(group, axis, y))
        y += _NAME + _ROW * len(group.marks) + _GAP
    grid = draw_axis(axis, top, y)
    return figure(title, _in_words(groups), WIDTH, y + 22, grid, *drawn, key=key)


def _legend(kinds: dict[str, str]) -> Markup:
    rows = []
    for number, (kind, label) in enumerate(kinds.items()):
        y = 6 + _ROW * number + 8
        rows += [_symbol(kind, LEFT + 6, y), text(label, LEFT + 18, y + 4, size=11)]
    return Markup("".join(rows))


def _group(group: Group, axis: Axis, top: float) -> Markup:
    rows = [text(group.name, LEFT, top + 14, weight="bold")]
    for number, mark in enumerate(group.marks):
        y = top + _NAME + _ROW * number + 7
        rows.append(_mark(mark, axis, y))
        rows.append(text(mark.shown, WIDTH - 2, y + 4, anchor="end", size=11.5))
    return Markup("".join(rows))


def _mark(mark: Mark, axis: Axis, y: float) -> Markup:
    if mark.value is None:
        return Markup("")
    colour = _COLOURS[mark.kind]
    parts = []
    if mark.ci:
        low, high = axis.x(mark.ci[0]), axis.x(mark.ci[1])
        parts.append(line(low, y, high, y, css=mark.kind, colour=colour, width=2))
        parts += [line(x, y - 4, x, y + 4, css=mark.kind, colour=colour, width=2) for x in (low, high)]
    return Markup("".join([*parts, _symbol(mark.kind, axis.x(mark.value), y)]))


def _symbol(kind: str, x: float, y: float) -> Markup:
    if kind == "judge":
        return element("circle", cx=x, cy=y, r=4.5, class_="fig-judge", fill=_COLOURS[kind])
    points = f"{x:.2f},{y - 6:.2f} {x + 6:.2f},{y:.2f} {x:.2f},{y + 6:.2f} {x - 6:.2f},{y:.2f}"
    return element("polygon", points=points, class_="fig-corrected", fill=_COLOURS[kind])


def _in_words(groups: Sequence[Group]) -> str:
    rows = [f"{group.name}, {mark.label}: {mark.shown}" for group in groups for mark in group.marks]
    return "Percent with 95 % interval. " + "; ".join(rows) + "."
