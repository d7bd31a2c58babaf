"""Stacked bars: how each system's outputs divide over a few classes."""

from collections.abc import Mapping, Sequence

from reports.core.figures.svg import Markup, element, figure, text

WIDTH, LEFT, RIGHT = 380.0, 8.0, 372.0
_NAME, _BAR, _GAP, _LEGEND = 19.0, 24.0, 10.0, 19.0
_FILLS = ("#a9d3b0", "#f3dfa2", "#f1b9a3", "#cfd4dc", "#cdbde6", "#a9cfe8")


def share_bars(
    title: str, classes: Sequence[str], rows: Mapping[str, Mapping[str, int]], *, key: str
) -> Markup:
    """One bar of full width per row; each class has its colour, its number in the bar and its legend entry."""
    drawn: list[Markup] = []
    for number, name in enumerate(classes):
        x, y = LEFT + (number % 2) * 180, 4 + _LEGEND * (number // 2)
        drawn += [_box(number, x, y + 1, 12, 12), text(name, x + 18, y + 11, size=11)]
    y, said = 4 + _LEGEND * ((len(classes) + 1) // 2) + 6, []
    for row, counts in rows.items():
        drawn.append(text(row, LEFT, y + 14, weight="bold"))
        x, y, total = LEFT, y + _NAME, sum(counts.values())
        for number, name in enumerate(classes):
            count = counts.get(name, 0)
            if not count:
                continue
            width = (RIGHT - LEFT) * count / total
            drawn.append(_box(number, x, y, width, _BAR))
            if width > 9 * len(str(count)):
                drawn.append(text(str(count), x + width / 2, y + _BAR / 2 + 4.5, anchor="middle"))
            x += width
        y += _BAR + _GAP
        said.append(f"{row}: {', '.join(f'{counts.get(known, 0)} {known}' for known in classes)}.")
    return figure(title, " ".join(said), WIDTH, y, *drawn, key=key)


def _box(number: int, x: float, y: float, width: float, height: float) -> Markup:
    place = number % len(_FILLS)
    return element(
        "rect",
        x=x,
        y=y,
        width=width,
        height=height,
        class_=f"fig-class-{place + 1}",
        fill=_FILLS[place],
        stroke="#6b7480",
        stroke_width=0.75,
    )
