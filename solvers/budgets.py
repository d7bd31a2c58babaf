"""Whether steps fit what is left of an attempt's budget."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from solvers.steps import Because, Step, Use

Bound = Callable[[Step], Use]  # the most that one request about a step can use


@dataclass(frozen=True)
class Budget:
    """What an attempt may use. Seconds are active ones: of each frontier those of its slowest step.

    `hard`: steps are begun only if the most that they can use fits. `published`: while less than the cap is used, as
    published runs count; this overshoots by one frontier at most.
    """

    tokens: int | None = None
    cost: Decimal | None = None
    seconds: float | None = None
    rule: Literal["hard", "published"] = "hard"

    def refuses(self, spent: Use, steps: Sequence[Step], bound: Bound) -> Because | None:
        """Why these steps are not begun, or None."""
        if self.seconds is not None and spent.seconds >= self.seconds:
            return "time"
        if self.rule == "published":
            if self.tokens is not None and spent.tokens >= self.tokens:
                return "tokens"
            return "cost" if self.cost is not None and spent.cost >= self.cost else None
        bounds = [bound(step) for step in steps]
        return self.overdrawn(
            Use(
                spent.tokens + sum(one.tokens for one in bounds),
                spent.cost + sum((one.cost for one in bounds), Decimal(0)),
            )
        )

    def overdrawn(self, use: Use) -> Because | None:
        """Which of the caps so much use would exceed, or None."""
        if self.tokens is not None and use.tokens > self.tokens:
            return "tokens"
        return "cost" if self.cost is not None and use.cost > self.cost else None
