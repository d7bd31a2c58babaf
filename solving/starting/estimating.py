"""What an attempt will take, about: its recipe runs against made-up replies of a given length."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from solvers.asking import Prices, most, rendered
from solvers.budgets import Budget
from solvers.memory import BYTES_PER_TOKEN
from solvers.planning import plan
from solvers.recipe import Recipe
from solvers.steps import Ask, End, Given, Reply, Step, Use

MOST_QUESTIONS = 1_000
SHORT = 500  # tokens of a draft in the low estimate
MODULE = 1_000  # tokens of what a module writes
FEEDBACK_SHARE = 4  # what a verifier says about a candidate is this part of its length
_DRAFTS = ("proof_latex", "text")
_MODULES = ("formal", "summary")
_NONCE = "0" * 32


class TooMany(Exception):
    """The recipe asks more questions than an estimate follows."""


@dataclass(frozen=True)
class Course:
    """How an attempt would go: what it asks and uses, in how many rounds, and whether a cap ends it."""

    questions: int
    tokens: int
    cost: Decimal
    rounds: int
    capped: bool


@dataclass(frozen=True)
class RunEstimate:
    """Tokens and money of all attempts together. `fits` is the longest draft with which an attempt reaches its end
    within its cap: None if the length of drafts does not matter, 0 if not even the shortest fits."""

    attempts: int
    low: Course
    likely: Course
    questions_low: int
    questions: int
    tokens_low: int
    tokens_likely: int
    tokens_cap: int | None
    cost_low: Decimal
    cost_likely: Decimal
    cost_cap: Decimal | None
    draft: int
    longest: int
    fits: int | None
    rounds: int | None

    @property
    def above_cap(self) -> bool:
        """Whether the likely course takes more than the whole run may use."""
        tokens = self.tokens_cap is not None and self.tokens_likely > self.tokens_cap
        return tokens or (self.cost_cap is not None and self.cost_likely > self.cost_cap)

    @property
    def all_fits(self) -> bool:
        return self.fits is None or self.fits >= self.longest


Pricing = Callable[[str], Prices]  # what asking with a prompt costs


class _MadeUp(Mapping[str, Reply]):
    """A reply to everything that was asked for, made when it is read."""

    def __init__(self, recipe: Recipe, prices: Pricing, draft: int, verdict: str) -> None:
        self.asked: dict[str, Step] = {}
        self.questions = 0
        self._recipe, self._prices, self._draft, self._verdict = recipe, prices, draft, verdict
        example = json.loads((recipe.folder / "example.json").read_text("utf-8"))
        self._replies: Mapping[str, Any] = example["replies"]
        self._around: dict[tuple[str, str, tuple[str, ...]], int] = {}

    def bound(self, step: Step) -> Use:
        return most(self._recipe, step, self._prices(step.prompt)) if isinstance(step, Ask) else Use()

    def __contains__(self, key: object) -> bool:
        return key in self.asked

    def __getitem__(self, key: str) -> Reply:
        step = self.asked[key]
        if not isinstance(step, Ask):
            said = self._replies.get(step.tool, {})
            return Reply("parsed", said if isinstance(said, Mapping) else {})
        self.questions += 1
        if self.questions > MOST_QUESTIONS:
            raise TooMany
        document = self._document(step)
        received = len(json.dumps(document, ensure_ascii=False).encode()) // BYTES_PER_TOKEN
        sent = self._bytes_of(step) // BYTES_PER_TOKEN
        return Reply("parsed", document, Use(sent + received, self._prices(step.prompt).of(sent, received)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.asked)

    def __len__(self) -> int:
        return len(self.asked)

    def _document(self, step: Ask) -> dict[str, object]:
        """The recipe's example of a reply, its texts as long as is assumed, and a review of each candidate."""
        read = sum(name.startswith("candidate_") for name in step.fields)
        said = self._replies.get(step.prompt, {})
        document = {name: self._sized(name, value, step) for name, value in said.items()}
        if "reviews" in said:
            issues = [
                {"place": "1", "severity": "major", "text": self._filler(self._draft // FEEDBACK_SHARE)}
            ]
            sound = self._verdict == "sound"
            document["reviews"] = [
                {
                    "candidate": n,
                    "verdict": self._verdict,
                    "commandments": {},
                    "issues": [] if sound else issues,
                }
                for n in range(1, read + 1)
            ]
        reply = self._recipe.prompts[step.prompt].reply
        return reply.model_validate(document).model_dump()

    def _sized(self, name: str, value: Any, step: Ask, *, nested: bool = False) -> Any:
        if isinstance(value, list):
            return [
                {key: self._sized(key, one[key], step, nested=True) for key in one}
                if isinstance(one, Mapping)
                else one
                for one in value
            ]
        if isinstance(value, str) and name in _DRAFTS and not nested:  # a query has a `text`, too
            return self._filler(min(self._draft, step.max_tokens))
        if isinstance(value, str) and name in _MODULES:
            return self._filler(min(MODULE, step.max_tokens))
        return value

    def _filler(self, tokens: int) -> str:
        return "x" * (BYTES_PER_TOKEN * max(tokens, 1))

    def _bytes_of(self, step: Ask) -> int:
        """Of the prompt: the words around the fields are rendered once, the fields are counted."""
        names = tuple(step.fields)
        key = (step.prompt, step.rules, names)
        if key not in self._around:
            empty = replace(step, fields=dict.fromkeys(names, ""))
            messages = rendered(self._recipe, empty, _NONCE).messages
            self._around[key] = sum(len(message["content"].encode()) for message in messages)
        return self._around[key] + sum(len(text.encode()) for text in step.fields.values())


def course(
    recipe: Recipe,
    settings: Any,
    given: Given,
    budget: Budget,
    prices: Pricing,
    *,
    draft: int,
    verdict: str = "flawed",
) -> Course:
    """How an attempt goes whose drafts have so many tokens and whose verifiers all say `verdict`. Raises TooMany."""
    made_up = _MadeUp(recipe, prices, draft, verdict)
    end = plan(recipe, given, settings, budget, made_up, made_up.bound, made_up.asked)
    if not isinstance(end, End):
        raise TypeError("made-up replies left a step open")
    capped = end.ended.because in ("tokens", "cost", "time")
    return Course(made_up.questions, end.spent.tokens, end.spent.cost, end.rounds, capped)


def longest_that_fits(
    recipe: Recipe, settings: Any, given: Given, budget: Budget, prices: Pricing, *, longest: int
) -> int:
    """The most tokens of a draft with which an attempt reaches its end before a cap; 0 if there is none."""

    def fits(draft: int) -> bool:
        return not course(recipe, settings, given, budget, prices, draft=draft).capped

    if fits(longest):
        return longest
    low, high = 0, longest  # `high` does not fit; 0 stands for none
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def estimate(
    recipe: Recipe,
    settings: Any,
    given: Given,
    budget: Budget,
    prices: Pricing,
    *,
    attempts: int,
    draft: int,
    max_tokens: int | None,
    max_cost: Decimal | None,
) -> RunEstimate:
    """Low: short drafts that all call sound. Likely: drafts of `draft` tokens, none of which is. Raises TooMany."""
    low = course(recipe, settings, given, budget, prices, draft=min(SHORT, draft), verdict="sound")
    likely = course(recipe, settings, given, budget, prices, draft=draft)
    longest = getattr(settings, "draft_tokens", None)
    fits = None
    if longest is not None and (budget.tokens is not None or budget.cost is not None):
        fits = longest_that_fits(recipe, settings, given, budget, prices, longest=longest)
    return RunEstimate(
        attempts=attempts,
        low=low,
        likely=likely,
        questions_low=low.questions * attempts,
        questions=likely.questions * attempts,
        tokens_low=low.tokens * attempts,
        tokens_likely=likely.tokens * attempts,
        tokens_cap=max_tokens,
        cost_low=low.cost * attempts,
        cost_likely=likely.cost * attempts,
        cost_cap=max_cost,
        draft=draft,
        longest=longest or 0,
        fits=fits,
        rounds=getattr(settings, "rounds", None),
    )
