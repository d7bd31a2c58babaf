"""What is sent for a step, and the most that sending it once can use."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from pydantic import ValidationError

from llm import most_sent
from llm.prompts import RenderedPrompt
from llm.strict_json import NotJson, fault_of_reply, loads, storable
from solvers.recipe import Recipe
from solvers.steps import Ask, Document, Step, Use

MILLION = Decimal(1_000_000)
_NONCE = "0" * 32
_FENCE = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*)\n```", re.DOTALL)
_LONGEST_FAULT = 500


@dataclass(frozen=True)
class Prices:
    """Of a million tokens sent and received, and of those sent that the server had in its cache.

    Without a price of their own these cost as the others do. Reasoning is among what is received.
    """

    prompt: Decimal = Decimal(0)
    completion: Decimal = Decimal(0)
    cached: Decimal | None = None

    def of(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int | None = None) -> Decimal:
        cached = cached_tokens or 0
        price = self.prompt if self.cached is None else self.cached
        sent = (prompt_tokens - cached) * self.prompt + cached * price
        return (sent + completion_tokens * self.completion) / MILLION


def rendered(recipe: Recipe, step: Ask, nonce: str) -> RenderedPrompt:
    """The messages of a question; the recipe's own rules follow the words of the prompt."""
    prompt = recipe.prompts[step.prompt]
    if step.rules:
        prompt = replace(prompt, words=f"{prompt.words}\n\n{step.rules}")
    return prompt.render(step.fields, nonce)


def most(recipe: Recipe, step: Step, prices: Prices) -> Use:
    """A bound of one request. Tools use nothing."""
    if not isinstance(step, Ask):
        return Use()
    messages = rendered(recipe, step, _NONCE).messages
    sent = most_sent(messages, recipe.prompts[step.prompt].response_format)
    return Use(sent + step.max_tokens, prices.of(sent, step.max_tokens))


def read(recipe: Recipe, label: str, text: str) -> tuple[Document, str]:
    """The JSON object in a reply to a prompt, with defaults filled in, and why there is none ("" if there is one).

    One code fence around the whole is allowed, as with judges; nothing is guessed.
    """
    stripped = text.strip()
    if not stripped:
        return {}, "the reply has no text"
    fenced = _FENCE.fullmatch(stripped)
    try:
        document = storable(loads(fenced["inside"] if fenced else stripped))
        return recipe.prompts[label].reply.model_validate(document).model_dump(), ""
    except (NotJson, ValidationError) as error:
        return {}, fault_of_reply(error)[:_LONGEST_FAULT]
