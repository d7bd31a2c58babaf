"""What an attempt may take, before it is begun: a recipe's plan with replies that are made up, of assumed lengths.

Replies come from the recipe's example, filled up to a share of what each question allows. So rounds, memory and caps
are those of the recipe itself, and only lengths are assumed. The file is no part of a recipe's hash: estimates may
change while attempts are running.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from solvers.asking import Prices, most, read
from solvers.budgets import Budget
from solvers.memory import BYTES_PER_TOKEN
from solvers.planning import plan
from solvers.recipe import Recipe
from solvers.steps import Ask, Because, Document, End, Given, Outcome, Reply, Step, Use

LIKELY_SHARE = 0.25  # of the longest reply that a question allows
SOURCE_BYTES = 80_000  # of a source that is opened; recipes cut it
_NO_PRICES = Prices()
_WORDS = "as it is shown in the line above "
_HALVINGS = 12


@dataclass(frozen=True)
class Case:
    """One attempt under one assumption. `sent` and `received` are tokens."""

    questions: int
    sent: int
    received: int
    cost: Decimal
    rounds: int
    longest_reply: int
    outcome: Outcome
    because: Because

    @property
    def tokens(self) -> int:
        return self.sent + self.received


@dataclass(frozen=True)
class Estimate:
    """One attempt: in the best case, likely, and at most; each without a cap. `within` is the likely one at its cap.

    `low` has the example's short replies, and ends as soon as the recipe allows. `likely` goes through all rounds with
    replies of a share of their allowed length. `cap` counts as hard caps do: a token for each byte that is sent, and
    the longest replies.
    """

    low: Case
    likely: Case
    cap: Case
    within: Case
    misfits: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not self.misfits


def estimate(
    recipe: Recipe,
    settings: Any,
    given: Given,
    budget: Budget,
    prices: Prices = _NO_PRICES,
    *,
    share: float = LIKELY_SHARE,
) -> Estimate:
    """What one attempt takes, and what of it does not fit. `settings` is an instance of `recipe.settings`."""
    unbounded = Budget()
    likely = _walked(recipe, settings, given, unbounded, prices, share)
    within = _walked(recipe, settings, given, budget, prices, share)
    return Estimate(
        low=_walked(recipe, settings, given, unbounded, prices, 0.0, soonest=True),
        likely=likely,
        cap=_walked(recipe, settings, given, unbounded, prices, 1.0, by_bytes=True),
        within=within,
        misfits=tuple(_misfits(recipe, settings, given, budget, prices, likely, within)),
    )


def _misfits(
    recipe: Recipe, settings: Any, given: Given, budget: Budget, prices: Prices, likely: Case, within: Case
) -> Iterator[str]:
    if within.because not in ("tokens", "cost"):
        return
    amount = f"{budget.tokens:,} tokens" if within.because == "tokens" else f"a cost of {budget.cost}"
    said = f"of the {likely.questions} questions of an attempt, {within.questions} fit {amount}"
    if likely.rounds > 1:
        said += f", which ends in round {within.rounds} of {likely.rounds}"
    yield f"With replies of up to {likely.longest_reply:,} tokens, {said}."
    if within.outcome == "failed":
        yield "An attempt would end without an answer."

    def fits(share: float) -> Case | None:
        case = _walked(recipe, settings, given, budget, prices, share)
        return None if case.because in ("tokens", "cost") else case

    low, high, best = 0.0, 1.0, fits(0.0)
    if best is None:
        yield f"Even the shortest replies do not fit {amount}. Allow more, or ask for less."
        return
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if found := fits(middle):
            low, best = middle, found
        else:
            high = middle
    yield f"All of it fits if the longest replies have at most {best.longest_reply:,} tokens."


def _walked(
    recipe: Recipe,
    settings: Any,
    given: Given,
    budget: Budget,
    prices: Prices,
    share: float,
    *,
    soonest: bool = False,
    by_bytes: bool = False,
) -> Case:
    """A whole attempt with made-up replies."""
    asked: dict[str, Step] = {}
    record = _MadeUp(recipe, asked, prices, share, soonest, by_bytes)
    planned = plan(recipe, given, settings, budget, record, lambda step: most(recipe, step, prices), asked)
    assert isinstance(planned, End)
    questions = [record.used[key] for key, step in asked.items() if isinstance(step, Ask)]
    sent, received = sum(one for one, _ in questions), sum(one for _, one in questions)
    return Case(
        questions=len(questions),
        sent=sent,
        received=received,
        cost=prices.of(sent, received),
        rounds=planned.rounds,
        longest_reply=max((one for _, one in questions), default=0),
        outcome=planned.ended.outcome,
        because=planned.ended.because,
    )


class _MadeUp(Mapping[str, Reply]):
    """A record that has a reply to every step that was asked: `asked` is filled by `plan` before it looks here."""

    def __init__(
        self,
        recipe: Recipe,
        asked: Mapping[str, Step],
        prices: Prices,
        share: float,
        soonest: bool,
        by_bytes: bool,
    ) -> None:
        self.used: dict[str, tuple[int, int]] = {}
        self._recipe, self._asked, self._prices = recipe, asked, prices
        self._share, self._by_bytes = share, by_bytes
        self._replies = _replies(recipe, soonest)

    def __contains__(self, key: object) -> bool:
        return key in self._asked

    def __iter__(self) -> Iterator[str]:
        return iter(self._asked)

    def __len__(self) -> int:
        return len(self._asked)

    def __getitem__(self, key: str) -> Reply:
        step = self._asked[key]
        if not isinstance(step, Ask):
            document = self._replies.get(step.tool, {})
            filled = self._share and step.tool == "open"
            return Reply("parsed", _filled(document, SOURCE_BYTES) if filled else document)
        document = self._replies[step.prompt]
        if self._share:
            document = _filled(document, int(step.max_tokens * self._share) * BYTES_PER_TOKEN)
        sent = most(self._recipe, step, _NO_PRICES).tokens - step.max_tokens
        received = min(step.max_tokens, _tokens(len(json.dumps(document).encode())))
        self.used[key] = (sent, step.max_tokens) if self._by_bytes else (_tokens(sent), max(received, 1))
        return Reply("parsed", document, Use(sum(self.used[key]), self._prices.of(*self.used[key])))


@cache
def _example(recipe: str, path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document


def _replies(recipe: Recipe, soonest: bool) -> dict[str, Document]:
    """The example's reply to each prompt and tool: those that end an attempt soonest, or last."""
    example = _example(recipe.name, str(recipe.folder / "example.json"))
    said = {**example["replies"], **example.get("soonest" if soonest else "latest", {})}
    replies = {
        name: said[name] for name in ("search", "open", "knowledge", "calculate", "check") if name in said
    }
    for label in recipe.prompts:
        replies[label], fault = read(recipe, label, json.dumps(said[label]))
        assert not fault, f"{label}: {fault}"
    return replies


def _filled(document: Document, size: int) -> Document:
    """The document with its longest text prolonged so that the whole has so many bytes."""
    lacking = size - len(json.dumps(document).encode())
    places = sorted(_texts(document, ()), key=lambda place: len(place[1]))
    if lacking <= 0 or not places:
        return document
    path, text = places[-1]
    filled: Any = json.loads(json.dumps(document))
    inner = filled
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = text + (" " + _WORDS * (lacking // len(_WORDS) + 1))[:lacking]
    return filled


def _texts(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, (*path, name))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)
