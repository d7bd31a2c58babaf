"""A square or oblong table of shaded cells: agreement of raters, wins, differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.core.figures.svg import Markup, element, figure, text

WIDTH = 380.0
_LEFT, _TOP, _MOST, _HEIGHT = 128.0, 28.0, 74.0, 42.0
LEVELS = 4
_FILLS = {
    0: "#f4f3ef",
    1: "#eaf2fb",
    2: "#cfe2f5",
    3: "#a9cbee",
    4: "#86b4e3",
    -1: "#fbeee6",
    -2: "#f6d9c7",
    -3: "#efbd9e",
    -4: "#e6a077",
}


@dataclass(frozen=True)
class Shaded:
    """One cell: a number, a smaller line below it, and a shade from -4 to 4 (0 for none)."""

    number: str
    below: str = ""
    level: int = 0

    @property
    def words(self) -> str:
        return f"{self.number} ({self.below})" if self.below else self.number


def shade(share: float) -> int:
    """The level of a value in [-1, 1]: further from zero is darker."""
    size = min(LEVELS, int(abs(share) * LEVELS) + 1) if share else 0
    return size if share > 0 else -size


def shaded_matrix(
    title: str,
    names: Sequence[str],
    cells: Mapping[tuple[int, int], Shaded],
    *,
    key: str,
    reading: str,
) -> Markup:
    """`cells[row, column]` over `names`; missing cells stay blank. Columns bear the numbers of the rows.

    `reading` says in words how a cell is read; it begins the description, which then gives every cell.
    """
    width = min(_MOST, (WIDTH - _LEFT - 4) / max(1, len(names)))
    drawn = []
    for number, name in enumerate(names):
        y = _TOP + number * _HEIGHT + _HEIGHT / 2 + 4
        short = name if len(name) <= 16 else f"{name[:15]}…"
        drawn.append(text(f"{number + 1}  {short}", 4, y, size=11.5))
        x = _LEFT + number * width + width / 2
        drawn.append(text(str(number + 1), x, _TOP - 9, anchor="middle", size=11.5, weight="bold"))
    said = []
    for (row, column), cell in sorted(cells.items()):
        x, y = _LEFT + column * width, _TOP + row * _HEIGHT
        drawn.append(
            element(
                "rect",
                x=x + 1,
                y=y + 1,
                width=width - 2,
                height=_HEIGHT - 2,
                rx=3,
                class_=f"fig-heat-{'m' if cell.level < 0 else 'p'}{abs(cell.level)}",
                fill=_FILLS[cell.level],
                stroke="#8a94a3",
                stroke_width=0.5,
            )
        )
        middle, base = x + width / 2, y + _HEIGHT / 2 + (0 if cell.below else 4)
        drawn.append(text(cell.number, middle, base, anchor="middle", size=min(12.0, width / 4.2)))
        if cell.below:
            small = min(9.5, 1.6 * width / len(cell.below))
            drawn.append(text(cell.below, middle, base + 13, anchor="middle", size=small))
        said.append(f"{names[row]}, {names[column]}: {cell.words}")
    height = _TOP + len(names) * _HEIGHT + 6
    return figure(title, f"{reading} {'; '.join(said)}.", WIDTH, height, *drawn, key=key)
