"""The share that is true against the score, with intervals; a calibrated judge keeps to the diagonal."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports.core.figures.svg import Markup, element, figure, line, text
from stats.core.display import rounded, rounded_percent

WIDTH, HEIGHT = 320.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 300.0, 14.0, 252.0
_COLOUR = "#1f5fa8"


def reliability_curve(title: str, curve: Sequence[Mapping[str, Any]], *, key: str) -> Markup:
    """`curve` are the bins of `analyse calibration`; scores are shares."""
    drawn = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        share = f"{rounded_percent(tick, places=0)} %"
        drawn.append(line(_LEFT, _y(tick), _RIGHT, _y(tick), css="grid", colour="#c9ced6", width=0.75))
        drawn.append(text(share, _LEFT - 6, _y(tick) + 4, anchor="end", size=11))
        drawn.append(text(rounded(tick, places=2), _x(tick), _BOTTOM + 18, anchor="middle", size=11))
    drawn.append(line(_x(0), _y(0), _x(1), _y(1), css="zero", colour="#6b7480"))
    points = [(_x(row["mean_score"]), row["share"]) for row in curve]
    for x, share in points:
        if share.ci:
            drawn.append(line(x, _y(share.ci[0]), x, _y(share.ci[1]), css="judge", colour=_COLOUR))
    path = " ".join(f"{x:.2f},{_y(share.value):.2f}" for x, share in points)
    drawn.append(
        element("polyline", points=path, fill="none", class_="fig-line-judge", stroke=_COLOUR, stroke_width=2)
    )
    for x, share in points:
        drawn.append(element("circle", cx=x, cy=_y(share.value), r=3.5, class_="fig-judge", fill=_COLOUR))
    drawn.append(text("score", (_LEFT + _RIGHT) / 2, _BOTTOM + 38, anchor="middle", size=11))
    said = [
        f"score {rounded(row['mean_score'], places=2)}: {rounded_percent(row['share'].value)} % of {row['n']}"
        for row in curve
    ]
    words = f"Share that is true, by mean score. {'; '.join(said)}."
    return figure(title, words, WIDTH, HEIGHT, *drawn, key=key)


def _x(share: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * min(max(share, 0.0), 1.0)


def _y(share: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * share
