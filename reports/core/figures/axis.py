"""A percentage axis that starts at zero."""

from collections.abc import Iterable
from dataclasses import dataclass

from reports.core.figures.svg import Markup, line, text
from stats.core.display import rounded

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Axis:
    """Maps proportions 0..`end` to the horizontal stretch `left`..`right`."""

    left: float
    right: float
    step: float
    end: float

    def x(self, share: float) -> float:
        return self.left + (self.right - self.left) * min(max(share, 0.0), self.end) / self.end

    @property
    def ticks(self) -> list[float]:
        return [self.step * i for i in range(round(self.end / self.step) + 1)]


def fitting_axis(values: Iterable[float], left: float, right: float) -> Axis:
    """The axis with the finest of the usual steps that shows all `values` with at most seven ticks."""
    largest = max(values, default=1.0)
    for step in _STEPS:
        intervals = max(1, -int(-((largest / step) - 1e-9) // 1))
        if intervals <= 6:
            return Axis(left, right, step, min(1.0, step * intervals))
    return Axis(left, right, _STEPS[-1], 1.0)


def draw_axis(axis: Axis, top: float, bottom: float) -> Markup:
    """Grid lines with their percentages below."""
    drawn = []
    for share in axis.ticks:
        x = axis.x(share)
        drawn.append(line(x, top, x, bottom, css="grid", colour="#c9ced6", width=0.75))
        drawn.append(text(f"{rounded(share * 100, places=0)}", x, bottom + 14, anchor="middle", size=11))
    drawn.append(text("%", axis.right + 12, bottom + 14, size=11))
    return Markup("".join(drawn))
