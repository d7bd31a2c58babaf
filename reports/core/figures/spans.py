"""Values with intervals on an axis of any range: differences, strengths, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from reports.core.figures.svg import Markup, element, figure, interval, line, text

WIDTH, LEFT, RIGHT = 380.0, 12.0, 236.0
_NAME, _ROW, _GAP, _TOP = 19.0, 16.0, 6.0, 8.0
_COLOUR = "#1f5fa8"


@dataclass(frozen=True)
class Span:
    """One row: `value` and `ends` on the axis, `shown` in words next to them. No value: nothing is drawn."""

    name: str
    value: float | None
    ends: tuple[float, float] | None
    shown: str


@dataclass(frozen=True)
class SpanAxis:
    """A linear axis with its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    places: int

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return LEFT + (RIGHT - LEFT) * share


def round_scale(values: Sequence[float]) -> SpanAxis:
    """An axis over all `values` whose ticks are 1, 2 or 5 times a power of ten; it always shows zero."""
    low, high = min([0.0, *values]), max([0.0, *values])
    width = (high - low) or 1.0
    rough = width / 5
    power: float = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough - 1e-12)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = tuple(step * number for number in range(first, last + 1))
    return SpanAxis(ticks[0], ticks[-1], ticks, max(0, -floor(log10(step) + 1e-9)))


def rank_scale(k: int) -> SpanAxis:
    """Ranks 1 to k, the best on the left."""
    every = max(1, ceil(k / 10))
    return SpanAxis(0.5, k + 0.5, tuple(range(1, k + 1, every)), 0)


def span_plot(title: str, spans: Sequence[Span], scale: SpanAxis, *, key: str, reading: str) -> Markup:
    """The rows in the order given; a line marks zero where the axis crosses it."""
    bottom = _TOP + (_NAME + _ROW + _GAP) * len(spans)
    drawn: list[Markup] = []
    for tick in scale.ticks:
        x, strong = scale.x(tick), tick == 0 and scale.low < 0
        css, colour, width = ("zero", "#6b7480", 1.25) if strong else ("grid", "#c9ced6", 0.75)
        drawn.append(line(x, _TOP, x, bottom, css=css, colour=colour, width=width))
        drawn.append(text(f"{tick:.{scale.places}f}", x, bottom + 14, anchor="middle", size=11))
    for number, span in enumerate(spans):
        top = _TOP + (_NAME + _ROW + _GAP) * number
        y = top + _NAME + 5
        drawn.append(text(span.name, LEFT, top + 13, weight="bold"))
        drawn.append(text(span.shown, WIDTH - 2, y + 4, anchor="end", size=11.5))
        drawn += interval(span.ends, scale.x, y, css="judge", colour=_COLOUR)
        if span.value is not None:
            drawn.append(
                element("circle", cx=scale.x(span.value), cy=y, r=4.5, class_="fig-judge", fill=_COLOUR)
            )
    said = "; ".join(f"{span.name}: {span.shown}" for span in spans)
    return figure(title, f"{reading} {said}.", WIDTH, bottom + 20, *drawn, key=key)
