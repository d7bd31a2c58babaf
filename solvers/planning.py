"""The next steps of an attempt, computed anew from everything that is recorded of it.

A recipe is written as a generator: it yields the steps that it needs, gets their replies, and returns the end. It is
run again from its beginning each time, so that nothing has to be kept but replies. It sees a reply only together with
those of all steps that it asked for at once; so the order in which replies arrive cannot matter.
"""

from decimal import Decimal
from typing import Any

from solvers.budgets import Bound, Budget
from solvers.memory import Memory
from solvers.recipe import Recipe
from solvers.steps import Ask, CapReached, End, Ended, Frontier, Given, Record, Step, Use


def plan(
    recipe: Recipe,
    given: Given,
    settings: Any,
    budget: Budget,
    record: Record,
    bound: Bound,
    asked: dict[str, Step] | None = None,
) -> Frontier | End:
    """The steps without a reply yet, or the end. `settings` is an instance of `recipe.settings`.

    `asked` is filled with all steps so far by key, as they were asked for: a transcript's prompts are made from them.
    """
    memory, spent, rounds = Memory(), Use(), 0
    solving = recipe.solve(given, settings, memory)
    capped: CapReached | None = None
    try:
        steps = list(next(solving))
        while True:
            _check_keys(steps)
            if refused := budget.refuses(spent, steps, bound):
                if capped is not None:  # a recipe that goes on asking after the cap
                    raise capped
                capped = CapReached(refused)
                steps = list(solving.throw(capped))
                continue
            if asked is not None:
                asked.update({step.key: step for step in steps})
            if missing := [step for step in steps if step.key not in record]:
                return Frontier(tuple(missing), memory.entries, spent)
            replies = {step.key: record[step.key] for step in steps}
            uses = [reply.use for reply in replies.values()]
            spent = Use(
                spent.tokens + sum(one.tokens for one in uses),
                spent.cost + sum((one.cost for one in uses), Decimal(0)),
                spent.seconds + max((one.seconds for one in uses), default=0.0),
            )
            rounds = max([rounds, *(step.round for step in steps)])
            steps = list(solving.send(replies))
    except StopIteration as stopped:
        ended: Ended = stopped.value
    except CapReached as cap:
        ended = Ended("failed", cap.because)
    return End(ended, memory.entries, spent, rounds)


def _check_keys(steps: list[Step]) -> None:
    if not steps:
        raise ValueError("a recipe asks for no steps: it should end instead")
    keys = [step.key for step in steps]
    if len(set(keys)) < len(keys):
        raise ValueError(f"a recipe uses a key twice: {sorted(keys)}")
    for step in steps:
        if isinstance(step, Ask) and step.max_tokens < 1:
            raise ValueError(f"{step.key} leaves no tokens for a reply")
