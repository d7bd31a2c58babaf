"""The kinds of work that a worker does: what each app that queues tasks tells about them."""

import datetime as dt
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, Protocol
from uuid import UUID, uuid4

from django.conf import settings
from django.utils.module_loading import import_string

from llm import Client
from work.models import LeasedTask, RunState


@dataclass(frozen=True)
class Use:
    """Tokens, in and out together, and what they cost."""

    tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: "Use") -> "Use":
        return Use(self.tokens + other.tokens, self.cost + other.cost)

    def __mul__(self, times: int) -> "Use":
        return Use(self.tokens * times, self.cost * times)

    def __truediv__(self, parts: int) -> "Use":
        return Use(self.tokens // parts, self.cost / parts)


Task = Any  # a row of the kind's own subclass of LeasedTask,
Run = Any  # and of Job; its functions say which


class Result(Protocol):
    """What became of a task, for the `settle` of its kind. A Failure, or whatever that kind calls an answer."""

    @property
    def task(self) -> LeasedTask: ...


@dataclass(frozen=True)
class Failure:
    """A call that gave no reply to read. `final` when trying again cannot help; `wait` until the next try.

    `counts` against the endpoint: it was asked and did not answer as a model server should. `unanswered` counts the
    attempts that the endpoint may bill; `token` makes storing it twice harmless.
    """

    task: Task
    error: str
    final: bool
    wait: dt.timedelta
    prompt_sha256: str = ""
    request: Mapping[str, object] | None = None
    reply: Mapping[str, object] | None = None
    latency_seconds: float = 0.0
    unanswered: int = 0
    counts: bool = False
    token: UUID = field(default_factory=uuid4)


@dataclass(frozen=True)
class Kind:
    """One kind of task.

    `endpoint` is the path of look-ups from a run to the name of the endpoint that its tasks ask; where that is empty,
    the work is done on this machine, as is all work of a kind without such a path. `loaded` names what a claim
    fetches with the tasks.
    """

    tasks: type[Task]
    runs: type[Run]
    endpoint: str
    loaded: tuple[str, ...]
    ask: Callable[[Task, Client | None, random.Random], Awaitable[Result]]
    """One task put to its endpoint; the client is None where this worker cannot reach the endpoint."""
    here: Callable[[], AbstractAsyncContextManager[Callable[[Task, random.Random], Awaitable[Result]]]]
    """Opened for a shift: what does a task on this machine."""
    settle: Callable[..., int]
    """settle(results=..., owner=...) stores results in one transaction, and may be repeated; how many are new."""
    most: Callable[[Task], Use]
    """The most that the task can use, all attempts included."""
    paused: Callable[[Run], object]
    """Called when a run was paused at its cap, within that transaction."""
    states: tuple[RunState, ...] = (RunState.RUNNING,)
    """The states of runs whose tasks are done."""
    own_endpoint: str = ""
    """The column of a task that names its endpoint, if the tasks of a run ask several; `endpoint` is then not used."""
    bounds: tuple[str, str] | None = None
    """The columns for tokens and cost that have what `most` says, if the task's row has it."""
    returned: Callable[[Sequence[int]], object] = len
    """Called with tasks (by id) of dead workers once they wait again, within that transaction."""


@cache
def kinds() -> Sequence[Kind]:
    """All kinds, those first that a worker asks first."""
    return [import_string(name) for name in settings.KINDS_OF_WORK]
