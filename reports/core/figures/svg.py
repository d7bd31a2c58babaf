"""A few lines of SVG writing, so that every figure is escaped, titled and free of inline styles.

Colours come twice: as presentation attributes, which a PDF prints, and as classes, by which a style sheet
overrides them on the page (light, dark). Text is drawn in the colour of the surrounding text.
"""

from collections.abc import Callable
from html import escape

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
        "text", words, x=x, y=y, text_anchor=anchor, font_size=size, font_weight=weight, fill="currentColor"
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
