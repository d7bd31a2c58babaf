"""Expected half-width against the number of audits, one line per allocation."""

from collections.abc import Mapping, Sequence

from reports.core.figures.svg import Markup, element, figure, fitting_axis, line, text
from stats.core.display import rounded_percent

WIDTH, HEIGHT = 420.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 408.0, 66.0, 226.0
_COLOURS = {"proportional": "#1f5fa8", "neyman": "#b3541e", "equal": "#4c7a34"}
_DASHES = {"proportional": "6 4", "neyman": "none", "equal": "2 3"}


def width_chart(
    title: str,
    totals: Sequence[int],
    half_widths: Mapping[str, Sequence[float]],
    names: Mapping[str, str],
    *,
    key: str,
) -> Markup:
    """`half_widths` are shares for each of `totals`, by allocation; `names` are the words of the legend."""
    axis = fitting_axis([max(widths) for widths in half_widths.values()], 0, 1)

    def across(n: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * n / max(totals)

    def up(share: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * min(share, axis.end) / axis.end

    drawn = [text("± percentage points", 4, _TOP - 10, size=11)]
    for share in axis.ticks:
        drawn.append(line(_LEFT, up(share), _RIGHT, up(share), css="grid", colour="#c9ced6", width=0.75))
        drawn.append(text(rounded_percent(share, places=0), _LEFT - 6, up(share) + 4, anchor="end", size=11))
    # numbers of audits below, as many as fit
    last = -40.0
    for n in totals:
        if across(n) - last >= 34:
            last = across(n)
            drawn.append(text(str(n), last, _BOTTOM + 16, anchor="middle", size=11))
    drawn.append(text("audited outputs", (_LEFT + _RIGHT) / 2, _BOTTOM + 36, anchor="middle", size=11))
    said = []
    for number, (rule, widths) in enumerate(half_widths.items()):
        points = [(across(n), up(width)) for n, width in zip(totals, widths, strict=True)]
        drawn += [_path(rule, points), *(_mark(rule, x, y) for x, y in points)]
        x, y = 8.0 + 134 * number, 16.0
        drawn += [_path(rule, [(x, y), (x + 28, y)]), _mark(rule, x + 14, y)]
        drawn.append(text(names[rule], x + 34, y + 4, size=11.5))
        each = (f"{n} audits {rounded_percent(width)}" for n, width in zip(totals, widths, strict=True))
        said.append(f"{names[rule]}: {', '.join(each)}")
    words = f"Half-width of the expected interval in percentage points. {'; '.join(said)}."
    return figure(title, words, WIDTH, HEIGHT, *drawn, key=key)


def _path(rule: str, points: Sequence[tuple[float, float]]) -> Markup:
    return element(
        "polyline",
        points=" ".join(f"{x:.2f},{y:.2f}" for x, y in points),
        fill="none",
        class_=f"fig-line-{rule}",
        stroke=_COLOURS[rule],
        stroke_width=2,
        stroke_dasharray=_DASHES[rule],
    )


def _mark(rule: str, x: float, y: float) -> Markup:
    style = {"class_": f"fig-{rule}", "fill": _COLOURS[rule]}
    if rule == "proportional":
        return element("circle", cx=x, cy=y, r=3.5, **style)
    if rule == "equal":
        return element("rect", x=x - 3, y=y - 3, width=6, height=6, **style)
    points = f"{x:.2f},{y - 5:.2f} {x + 5:.2f},{y:.2f} {x:.2f},{y + 5:.2f} {x - 5:.2f},{y:.2f}"
    return element("polygon", points=points, **style)
