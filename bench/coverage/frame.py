"""What a cell of a coverage grid measures, and its row in the table."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

LEAST, MOST = 0.93, 0.99
HEADER = ("design", "coverage", "width", "value inside", "")


@dataclass(frozen=True)
class Cell:
    """Shares over the draws: intervals that contain the truth, and estimates in their own interval."""

    design: str
    coverage: float
    width: float
    inside: float

    @classmethod
    def measured(
        cls, design: str, low: ArrayLike, high: ArrayLike, *, truth: ArrayLike, value: ArrayLike
    ) -> Self:
        """A cell from the ends of the intervals of all draws, the truth and the estimates."""
        lower, upper = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        inside = [(lower - 1e-9 <= np.asarray(x)) & (np.asarray(x) <= upper + 1e-9) for x in (truth, value)]
        return cls(design, float(inside[0].mean()), float((upper - lower).mean()), float(inside[1].mean()))

    @property
    def mark(self) -> str:
        """`low` below LEAST, `high` above MOST; an estimate outside its interval is an error."""
        if self.inside < 1:
            return "VALUE OUTSIDE"
        return "low" if self.coverage < LEAST else "high" if self.coverage > MOST else ""

    @property
    def row(self) -> str:
        """The cell as a row of a Markdown table."""
        cells = (self.design, f"{self.coverage:.3f}", f"{self.width:.3f}", f"{self.inside:.3f}", self.mark)
        return f"| {' | '.join(cells)} |"
