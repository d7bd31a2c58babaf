"""The two-by-two table of a judge against the experts, as a picture."""

from collections.abc import Mapping

from reports.core.figures.svg import Markup, element, figure, text

WIDTH, HEIGHT = 320.0, 212.0
_LEFT, _TOP, _CELL_WIDTH, _CELL_HEIGHT = 92.0, 42.0, 108.0, 74.0
_CELLS = (
    ("tp", "true positive", 0, 0),
    ("fp", "false positive", 0, 1),
    ("fn", "false negative", 1, 0),
    ("tn", "true negative", 1, 1),
)


def confusion_matrix(title: str, counts: Mapping[str, int], *, key: str) -> Markup:
    """Judge in rows, experts in columns; `counts` holds tp, fp, fn and tn."""
    drawn = []
    for cell, name, row, column in _CELLS:
        x, y = _LEFT + column * _CELL_WIDTH, _TOP + row * _CELL_HEIGHT
        middle, agree = x + _CELL_WIDTH / 2, row == column
        drawn.append(
            element(
                "rect",
                x=x + 1.5,
                y=y + 1.5,
                width=_CELL_WIDTH - 3,
                height=_CELL_HEIGHT - 3,
                rx=4,
                class_="fig-agree" if agree else "fig-differ",
                fill="#d7e6f7" if agree else "#f7dfd2",
                stroke="#8a94a3",
            )
        )
        base = y + _CELL_HEIGHT / 2
        drawn.append(text(str(counts[cell]), middle, base + 2, anchor="middle", size=22, weight="bold"))
        drawn.append(text(name, middle, base + 20, anchor="middle", size=11))
    drawn += [
        text("Experts: yes", _LEFT + _CELL_WIDTH / 2, _TOP - 10, anchor="middle"),
        text("Experts: no", _LEFT + _CELL_WIDTH * 1.5, _TOP - 10, anchor="middle"),
        text("Judge: yes", _LEFT - 10, _TOP + _CELL_HEIGHT / 2 + 4, anchor="end"),
        text("Judge: no", _LEFT - 10, _TOP + _CELL_HEIGHT * 1.5 + 4, anchor="end"),
    ]
    words = ", ".join(f"{counts[cell]} {name}" for cell, name, _, _ in _CELLS)
    return figure(title, f"Judge against experts: {words}.", WIDTH, HEIGHT, *drawn, key=key)
