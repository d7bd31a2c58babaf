"""A few lines of SVG writing, so that every figure is escaped, titled and free of inline styles; a percentage axis.

Colours come twice: as presentation attributes, which a PDF prints, and as classes, by which a style sheet
overrides them on the page (light, dark). Text is drawn in the colour of the surrounding text.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

from stats.core.display import minus, rounded

FONT = 12.0


class Markup(str):
    """Finished SVG, as opposed to text that still has to be escaped."""

    __slots__ = ()

    def __html__(self) -> str:
        """Templates take it as it is: everything in it went through `element`."""
        return str(self)


def element(tag: str, *children: str, **attributes: str | float) -> Markup:
    """One element; plain strings among `children` are escaped. `class_` and `font_size` become class, font-size."""
    written = ""
    for name, value in attributes.items():
        shown = value if isinstance(value, str) else f"{round(value, 2):g}"
        written += f' {name.rstrip("_").replace("_", "-")}="{escape(shown)}"'
    content = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{tag}{written}>{content}</{tag}>" if children else f"<{tag}{written}/>")


def text(
    words: str, x: float, y: float, *, anchor: str = "start", size: float = FONT, weight: str = "normal"
) -> Markup:
    """Text with its baseline at y."""
    return element(
        "text",
        minus(words),
        x=x,
        y=y,
        text_anchor=anchor,
        font_size=size,
        font_weight=weight,
        fill="currentColor",
    )


def line(x1: float, y1: float, x2: float, y2: float, *, css: str, colour: str, width: float = 1) -> Markup:
    return element(
        "line", x1=x1, y1=y1, x2=x2, y2=y2, class_=f"fig-line-{css}", stroke=colour, stroke_width=width
    )


def interval(
    ends: tuple[float, float] | None, x: Callable[[float], float], y: float, *, css: str, colour: str
) -> list[Markup]:
    """A horizontal interval with a short bar at both ends; nothing where there is none."""
    if ends is None:
        return []
    low, high = x(ends[0]), x(ends[1])
    bars = [line(end, y - 4, end, y + 4, css=css, colour=colour, width=2) for end in (low, high)]
    return [line(low, y, high, y, css=css, colour=colour, width=2), *bars]


def figure(title: str, description: str, width: float, height: float, *parts: Markup, key: str) -> Markup:
    """The whole picture. `key` makes the ids of title and description unique on its page."""
    return element(
        "svg",
        element("title", title, id=f"{key}-title"),
        element("desc", description, id=f"{key}-desc"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        class_="figure",
        role="img",
        aria_labelledby=f"{key}-title",
        aria_describedby=f"{key}-desc",
        font_family="system-ui, 'DejaVu Sans', sans-serif",
    )


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
