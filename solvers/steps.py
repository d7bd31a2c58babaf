"""What recipes ask for, what is recorded of it, and how an attempt ends."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

Document = Mapping[str, Any]  # JSON from outside: a model's reply or a tool's result


@dataclass(frozen=True)
class Given:
    """One attempt at one problem. `fields` is what the protocol gives of the problem, nothing else of it is seen."""

    instance: str
    attempt: int
    seed: int
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """A question to the model. `key` names it within the attempt, `reads` are the memory entries that it shows.

    `prompt` is the label of a prompt file of the recipe; `rules` are words of the recipe that follow the prompt's own,
    `fields` texts from outside, which are framed as data.
    """

    key: str
    prompt: str
    fields: Mapping[str, str]
    max_tokens: int
    round: int = 1
    agent: str = ""
    phase: str = ""
    rules: str = ""
    reads: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tool:
    """Something done by the program: `search` and `open` in a frozen artifact, `knowledge`, `calculate`, `check`."""

    key: str
    tool: Literal["search", "open", "knowledge", "calculate", "check"]
    arguments: Mapping[str, Any]
    round: int = 1
    agent: str = ""
    phase: str = ""


Step = Ask | Tool


@dataclass(frozen=True)
class Use:
    """Tokens in and out together, what they cost, and seconds."""

    tokens: int = 0
    cost: Decimal = Decimal(0)
    seconds: float = 0.0


@dataclass(frozen=True)
class Reply:
    """What a step came to. `unparsed`: not the JSON object that was asked for; `unavailable`: no reply at all.

    `use` has everything that was booked for the step, failed tries included.
    """

    state: Literal["parsed", "unparsed", "unavailable"]
    document: Document = field(default_factory=dict)
    use: Use = Use()

    @property
    def parsed(self) -> bool:
        return self.state == "parsed"


Record = Mapping[str, Reply]  # by the keys of steps

Because = Literal["finished", "rounds", "tokens", "cost", "time", "no_reply", "tool_fault", "cancelled"]
Outcome = Literal["answered", "abstained", "failed"]


@dataclass(frozen=True)
class Entry:
    """One entry of an attempt's memory; `number` counts from 1. `step` is the key of the step that it is from."""

    number: int
    section: str
    round: int
    agent: str
    role: str
    text: str
    step: str = ""


@dataclass(frozen=True)
class Ended:
    """What a recipe returns. `result` is for the protocol; `ranking` says how the result was chosen."""

    outcome: Outcome
    because: Because
    result: Mapping[str, Any] = field(default_factory=dict)
    ranking: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Frontier:
    """Steps that may be taken now, in the order in which they are queued, and the memory so far."""

    steps: tuple[Step, ...]
    memory: tuple[Entry, ...] = ()
    spent: Use = Use()


@dataclass(frozen=True)
class End:
    """The end of an attempt, with the memory and what it used. `rounds` is the last round in which a step was taken."""

    ended: Ended
    memory: tuple[Entry, ...] = ()
    spent: Use = Use()
    rounds: int = 0


class CapReached(Exception):
    """Raised inside a recipe when the steps it asked for do not fit the budget: it chooses from what it has."""

    def __init__(self, because: Because) -> None:
        super().__init__(because)
        self.because = because


Solving = Generator[Sequence[Step], Mapping[str, Reply], Ended]
