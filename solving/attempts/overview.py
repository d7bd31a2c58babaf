"""An attempt at a glance: its rounds and steps without their long texts, which pages load when they are opened."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q
from django.db.models.functions import Length

from solvers.recipes.rma.candidates import Candidate, order_for, take_reviews
from solvers.steps import Given, Reply
from solving.models import Attempt, MemoryEntry, SolveCall, Step
from work.models import TaskState

BEFORE = 0  # the number under which what is done before the first draft is shown
MARKS = {"sound": "+", "flawed": "\N{MINUS SIGN}", "unsure": "?"}


@dataclass(frozen=True)
class Review:
    """What a verifier said about a candidate, in a word."""

    candidate: str
    verifier: str
    verdict: str

    @property
    def mark(self) -> str:
        return MARKS.get(self.verdict, "?")


@dataclass
class Line:
    """A step as a line. `entry` is the proof that came of it, `reviews` what was said about that proof or by it."""

    step: Step
    calls: int = 0
    failed: int = 0
    entry: int = 0
    chosen: bool = False
    reviews: list[Review] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What the step does, in words."""
        step = self.step
        if step.kind == Step.Kind.TOOL:
            words = TOOLS.get(step.name, step.name)
        else:
            words = PROMPTS.get(step.name.partition(".")[0], step.name)
        tail = step.key.rpartition(".")[2]
        if tail.startswith("again"):
            return f"{words}, asked again"
        return f"{words}, after looking something up" if tail.startswith("more") else words

    @property
    def open(self) -> bool:
        return self.step.state in (TaskState.WAITING, TaskState.LEASED, TaskState.HELD)


PROMPTS = {
    "needs-analysis": "Does the statement need analysis?", "analyse": "Analysis", "literature-plan": "Literature plan",
    "understand": "Sources understood", "knowledge": "Knowledge applied", "draft": "First draft",
    "propose": "Proposal", "repair": "Repair of the LaTeX", "verify": "Reviews",
}  # fmt: skip
TOOLS = {
    "search": "Search", "open": "Source opened", "knowledge": "Knowledge bank", "calculate": "Calculation",
    "check": "LaTeX checked by a program",
}  # fmt: skip


@dataclass
class Round:
    """The steps of a round; number 0 has what comes before the first draft."""

    number: int
    lines: list[Line] = field(default_factory=list)
    tokens: int = 0
    reviews: list[Review] = field(default_factory=list)


@dataclass(frozen=True)
class Overview:
    """All rounds in order, and the memory without its texts."""

    rounds: list[Round]
    memory: Sequence[MemoryEntry]
    steps: int
    calls: int
    failed_calls: int


def overview_of(attempt: Attempt) -> Overview:
    """Four statements, whatever the number of steps; replies are read of reviews alone."""
    steps = list(attempt.steps.defer("question", "reply", "run").order_by("pk"))
    said = attempt.steps.filter(phase="verify", reply_state=Step.ReplyState.PARSED).values_list(
        "key", "reply"
    )
    replies = dict(said)
    memory = list(attempt.memory.defer("text").annotate(length=Length("text")).order_by("number"))
    counted = SolveCall.objects.filter(task__attempt=attempt).order_by().values("task")
    counted = counted.annotate(made=Count("pk"), bad=Count("pk", filter=~Q(error="")))
    calls = {row["task"]: (row["made"], row["bad"]) for row in counted}
    proofs = {name_of(entry): entry.number for entry in memory if entry.section == MemoryEntry.Section.PROOF}
    chosen = str(attempt.result.get("candidate", ""))
    rounds: dict[int, Round] = {}
    lines: dict[str, Line] = {}
    for step in steps:
        number = BEFORE if step.agent == "module" else step.round
        one = rounds.setdefault(number, Round(number))
        line = Line(step, *calls.get(step.pk, (0, 0)), proofs.get(step.key, 0), step.key == chosen)
        lines[step.key] = line
        one.lines.append(line)
        one.tokens += step.tokens_spent
    for review in reviews_of(attempt, steps, replies, candidates_of(steps, memory)):
        by = lines[review.verifier]
        by.reviews.append(review)
        rounds[by.step.round].reviews.append(review)
        if review.candidate in lines:
            lines[review.candidate].reviews.append(review)
    made = sum(every for every, _ in calls.values())
    bad = sum(failed for _, failed in calls.values())
    return Overview([rounds[number] for number in sorted(rounds)], memory, len(steps), made, bad)


def name_of(entry: MemoryEntry) -> str:
    """The candidate whose proof an entry is: r2.p1, also where a repair was the last to write it."""
    return base_of(entry.step)


def candidates_of(steps: Sequence[Step], memory: Sequence[MemoryEntry]) -> dict[int, list[str]]:
    """The candidates of each round, as verifiers were given them.

    They are the proofs in memory; of a recipe that keeps none there, the drafts that were replied to.
    """
    rounds = {step.key: step.round for step in steps}
    found: dict[int, list[str]] = defaultdict(list)
    for entry in memory:
        if entry.section == MemoryEntry.Section.PROOF and (name := name_of(entry)) in rounds:
            found[rounds[name]].append(name)
    kept = frozenset(found)
    for step in steps:
        written = step.phase in ("draft", "propose") and step.reply_state == Step.ReplyState.PARSED
        if written and step.round not in kept and (name := base_of(step.key)) not in found[step.round]:
            found[step.round].append(name)
    return found


def base_of(key: str) -> str:
    """The name of the question that was put first: r2.v1 of r2.v1.again1."""
    return ".".join(key.split(".")[:2])


def reviews_of(
    attempt: Attempt,
    steps: Sequence[Step],
    replies: Mapping[str, Mapping[str, Any]],
    candidates: Mapping[int, Sequence[str]],
) -> list[Review]:
    """Who said what of which candidate."""
    rounds = {step.key: step.round for step in steps}
    found = []
    for step in steps:
        if step.phase != "verify" or step.key not in replies:
            continue
        read = [
            Candidate(name, step.round, "", 0, "")
            for name in order_of(attempt, step, candidates.get(step.round, ()))
        ]
        take_reviews(Reply("parsed", replies[step.key]), read, ())
        found += [Review(one.name, step.key, one.verdicts[0]) for one in read]
    return sorted(found, key=lambda one: (rounds[one.verifier], one.candidate, one.verifier))


def order_of(attempt: Attempt, step: Step, names: Sequence[str]) -> list[str]:
    """The candidates in the order in which a verifier read them, which a question that was put again keeps."""
    given = Given(attempt.instance.key, attempt.number, attempt.run.seed, {})
    candidates = [Candidate(name, step.round, "", 0, "") for name in names]
    return [one.name for one in order_for(given, base_of(step.key), candidates)]
