"""A forest plot: for each system the score before and after correction, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.core.figures.svg import Markup, draw_axis, element, figure, fitting_axis, interval, text
from stats.core.display import rounded_percent

WIDTH, LEFT, RIGHT = 380.0, 8.0, 236.0
_NAME, _ROW, _GAP = 19.0, 18.0, 8.0
_COLOURS = {"judge": "#1f5fa8", "corrected": "#b3541e"}


@dataclass(frozen=True)
class ForestMark:
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
    marks: Sequence[ForestMark]


def forest_plot(title: str, groups: Sequence[Group], *, key: str) -> Markup:
    """The plot of `groups` in the order given; its description says every number in words."""
    marks = [mark for group in groups for mark in group.marks]
    axis = fitting_axis(
        [end for mark in marks for end in (*(mark.ci or ()), mark.value) if end is not None], LEFT, RIGHT
    )
    labels = list(dict.fromkeys((mark.kind, mark.label) for mark in marks))
    # labels of one kind have the same symbol, and a number tells them apart
    of_kind: dict[str, list[str]] = {}
    for kind, label in labels:
        of_kind.setdefault(kind, []).append(label)
    numbers = {
        (kind, label): f"{of_kind[kind].index(label) + 1}: " if len(of_kind[kind]) > 1 else ""
        for kind, label in labels
    }
    drawn: list[Markup] = []
    for row, (kind, label) in enumerate(labels):
        y = 6 + _ROW * row + 8
        words = f"{numbers[kind, label]}{label}"
        drawn += [_symbol(kind, LEFT + 6, y), text(words, LEFT + 18, y + 4, size=11)]
    top = bottom = 6 + _ROW * len(labels) + 6
    for group in groups:
        drawn.append(text(group.name, LEFT, bottom + 14, weight="bold"))
        for number, mark in enumerate(group.marks):
            y = bottom + _NAME + _ROW * number + 7
            if mark.value is not None:
                drawn += interval(mark.ci, axis.x, y, css=mark.kind, colour=_COLOURS[mark.kind])
                drawn.append(_symbol(mark.kind, axis.x(mark.value), y))
            words = f"{numbers[mark.kind, mark.label]}{mark.shown}"
            drawn.append(text(words, WIDTH - 2, y + 4, anchor="end", size=11.5))
        bottom += _NAME + _ROW * len(group.marks) + _GAP
    said = "; ".join(f"{group.name}, {mark.label}: {mark.shown}" for group in groups for mark in group.marks)
    grid = draw_axis(axis, top, bottom)
    words = f"Percent with 95 % interval. {said}."
    return figure(title, words, WIDTH, bottom + 22, grid, *drawn, key=key)


def _symbol(kind: str, x: float, y: float) -> Markup:
    if kind == "judge":
        return element("circle", cx=x, cy=y, r=4.5, class_="fig-judge", fill=_COLOURS[kind])
    points = f"{x:.2f},{y - 6:.2f} {x + 6:.2f},{y:.2f} {x:.2f},{y + 6:.2f} {x - 6:.2f},{y:.2f}"
    return element("polygon", points=points, class_="fig-corrected", fill=_COLOURS[kind])
