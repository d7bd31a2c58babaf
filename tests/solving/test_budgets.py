"""Whether published runs of RMA fit their budget: drafts of 4,350 tokens, as in the First Proof files of Aletheia."""

import json

import pytest

from solvers.asking import Prices, most, rendered
from solvers.budgets import Budget
from solvers.planning import plan
from solvers.recipe import get_recipe, recipe_names
from solvers.steps import Ask, End, Given, Reply, Step, Use

DRAFT = 4_350  # tokens of a draft, 17,400 bytes; feedback on a candidate is a quarter of it
RULES = 1_500  # tokens of the problem and the rules in each question


def used(step: Step) -> Use:
    """Four bytes a token; what is read is in the fields of the question."""
    assert isinstance(step, Ask)
    sent = sum(len(text) for text in step.fields.values()) // 4 + RULES
    reviewed = sum(name.startswith("candidate_") for name in step.fields)
    return Use(sent + (reviewed * DRAFT // 4 if reviewed else DRAFT))


def replied(step: Step) -> Reply:
    assert isinstance(step, Ask)
    count = sum(name.startswith("candidate_") for name in step.fields)
    if not count:
        return Reply("parsed", {"proof_latex": "x" * (4 * DRAFT)}, used(step))
    issues = [{"place": "line 1", "severity": "major", "text": "y" * DRAFT}]
    reviews = [
        {"candidate": number, "verdict": "flawed", "commandments": {}, "issues": issues}
        for number in range(1, count + 1)
    ]
    return Reply("parsed", {"reviews": reviews}, used(step))


def attempt(budget: Budget, **settings: object) -> tuple[End, int]:
    recipe = get_recipe("rma")
    # Without modules, tools and a limit of context, as the estimate of the specification assumes.
    plain = {
        "analysis": "off",
        "literature": False,
        "knowledge": False,
        "repairs": 0,
        "context_tokens": 2_000_000,
    }
    read = recipe.read_settings({**plain, **settings})
    given, record = Given("p", 1, 1, {"statement": "Show it."}), dict[str, Reply]()
    while True:
        planned = plan(recipe, given, read, budget, record, used)
        if isinstance(planned, End):
            return planned, len(record)
        record |= {step.key: replied(step) for step in planned.steps}


def test_at_200_000_tokens_it_ends_in_round_three_with_a_proof() -> None:
    end, _ = attempt(Budget(tokens=200_000, rule="published"))
    assert (end.ended.outcome, end.ended.because, end.rounds) == ("answered", "tokens", 3)
    # By hand, with full memory: 1 draft 5,850; 3 reviews of one draft; then proposals and reviews of three drafts each.
    assert 200_000 <= end.spent.tokens < 300_000


def test_at_a_million_tokens_it_completes_its_five_rounds() -> None:
    end, asked = attempt(Budget(tokens=1_000_000, rule="published"))
    assert (end.ended.outcome, end.ended.because, end.rounds, asked) == ("answered", "rounds", 5, 28)


def test_a_hard_cap_is_not_exceeded_and_leaves_some_unused() -> None:
    end, _ = attempt(Budget(tokens=200_000))
    assert end.ended.because == "tokens"
    assert end.spent.tokens <= 200_000


@pytest.mark.parametrize("memory", ["full", "last_round", "stateless"])
def test_less_memory_costs_less(memory: str) -> None:
    full, _ = attempt(Budget())
    some, _ = attempt(Budget(), memory=memory)
    assert some.spent.tokens <= full.spent.tokens
    assert (some.spent.tokens == full.spent.tokens) == (memory == "full")


@pytest.mark.parametrize("name", recipe_names())
def test_the_most_of_a_request_has_a_token_for_each_byte_of_its_messages_and_of_its_schema(name: str) -> None:
    recipe = get_recipe(name)
    for label, prompt in recipe.prompts.items():
        step = Ask("one", label, {"problem": "Zeige, daß $1=1$."}, max_tokens=100)
        texts = [message["content"] for message in rendered(recipe, step, "0" * 32).messages]
        sent = sum(len(text.encode()) for text in [*texts, json.dumps(prompt.response_format)])
        assert sent + 100 <= most(recipe, step, Prices()).tokens <= sent + 200
