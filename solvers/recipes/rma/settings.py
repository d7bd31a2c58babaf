"""The numbers and switches of RMA. Defaults are the paper's where it gives any; the others are ours."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(ge=1, le=1_000_000)]
Commandment = Literal["grounding", "faithfulness", "gap_free", "constructive", "format"]
ALL: tuple[Commandment, ...] = ("grounding", "faithfulness", "gap_free", "constructive", "format")


class Drafting(BaseModel):
    """What every recipe that writes and verifies proofs can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    verifiers: Annotated[int, Field(ge=0, le=20)] = 3
    """Verifiers, each of which reads all candidates of a round in one question."""
    commandments: tuple[Commandment, ...] = ALL
    """What verifiers examine. Leaving some out is an ablation."""
    early_stop: bool = True
    """End when a candidate is sound to all verifiers. Off where the number of rounds is what varies."""
    repairs: Annotated[int, Field(ge=0, le=5)] = 1
    """How often what a program finds wrong with a proof is sent back."""
    retries: Annotated[int, Field(ge=0, le=3)] = 1
    """How often a reply that is not the object asked for is asked for again."""
    tool_steps: Annotated[int, Field(ge=0, le=10)] = 2
    """How often a draft or a proposal may look something up."""
    release: Literal["best", "only_sound"] = "best"
    """What to give when no candidate is sound to all: the best all the same, or nothing."""
    draft_tokens: Positive = 16_000
    """The longest reply with a proof."""
    review_tokens: Positive = 8_000
    """The longest reply of a verifier."""


class Settings(Drafting):
    """RMA: rounds, agents, modules, memory."""

    rounds: Annotated[int, Field(ge=1, le=50)] = 5
    """Rounds, the first draft's included."""
    proposers: Annotated[int, Field(ge=1, le=20)] = 3
    """Proposers of each round after the first."""
    analysis: Literal["on", "off", "auto"] = "on"
    """Make the statement precise first; auto asks whether that is needed."""
    literature: bool = True
    """Search the frozen artifact before the first draft; without an artifact nothing is searched."""
    irrelevant_filter: bool = True
    """Keep only what fits the problem's assumptions and target."""
    structured_summary: bool = True
    """Write what sources offer as a summary by role; otherwise their texts are shown as they are."""
    knowledge: bool = True
    """Use the knowledge bank, if the run has one."""
    assumption_check: bool = True
    """Use only entries all of whose conditions hold for the problem."""
    memory: Literal["full", "last_round", "stateless"] = "full"
    """What proposers read: everything, the chosen draft with its feedback, or the problem alone."""
    context_tokens: Annotated[int, Field(ge=1_000, le=2_000_000)] = 24_000
    """How much memory is shown at once. Never a share of the budget, so that a smaller budget is a prefix."""
    select: Literal["best", "last"] = "best"
    """The best candidate of all rounds, or the best of the last round."""
    results: Annotated[int, Field(ge=1, le=20)] = 10
    """Results of a search that are looked at."""
    opened: Annotated[int, Field(ge=0, le=20)] = 5
    """Sources that are opened."""
    source_chars: Positive = 20_000
    """Of each source."""
    bank_entries: Annotated[int, Field(ge=1, le=50)] = 8
    """Entries of the knowledge bank that are looked at."""
    module_tokens: Positive = 4_000
    """The longest reply of a module."""
