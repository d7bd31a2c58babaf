"""How work grows over time: a staircase of cumulative counts towards a target."""

from collections.abc import Sequence
from datetime import date

from reports.core.figures.spans import round_scale
from reports.core.figures.svg import Markup, element, figure, line, text

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 380.0, 34.0, 370.0, 12.0, 168.0
_COLOUR = "#1f5fa8"


def progress_curve(
    title: str, days: Sequence[tuple[date, int]], target: int, *, key: str, until: date
) -> Markup:
    """`days` in order, each with the count at its end; the staircase runs on to `until`. At least one day."""
    first, last = days[0][0], max(until, days[-1][0])
    length = max(1, (last - first).days + 1)
    scale = round_scale([float(target), float(days[-1][1])])

    def x(day: date) -> float:
        return LEFT + (RIGHT - LEFT) * (day - first).days / length

    def y(count: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * count / scale.high

    points, height = [(LEFT, y(0))], y(0)
    for day, count in days:
        points += [(x(day), height), (x(day), height := y(count))]
    points.append((RIGHT, height))
    grid = []
    for tick in (tick for tick in scale.ticks if tick == int(tick)):
        grid.append(line(LEFT, y(tick), RIGHT, y(tick), css="grid", colour="#c9ced6", width=0.75))
        grid.append(text(f"{tick:.0f}", LEFT - 6, y(tick) + 4, anchor="end", size=11))
    goal = line(LEFT, y(target), RIGHT, y(target), css="corrected", colour="#b3541e", width=1.5)
    stairs = element(
        "polyline",
        points=" ".join(f"{a:.2f},{b:.2f}" for a, b in points),
        fill="none",
        class_="fig-line-judge",
        stroke=_COLOUR,
        stroke_width=2,
    )
    ends = [
        text(_day(first), LEFT, BOTTOM + 16, size=11),
        text(_day(last), RIGHT, BOTTOM + 16, anchor="end", size=11),
        text(f"wanted: {target}", RIGHT, y(target) - 4, anchor="end", size=11),
    ]
    said = "; ".join(f"{_day(day)}: {count}" for day, count in days)
    words = f"Submitted by the end of each day, of {target} wanted. {said}."
    return figure(title, words, WIDTH, BOTTOM + 24, *grid, goal, stairs, *ends, key=key)


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
