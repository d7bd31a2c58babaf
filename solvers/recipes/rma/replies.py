"""What the model replies to each prompt: one JSON object of exactly this shape."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=400_000)]
Line = Annotated[str, Field(max_length=4_000)]
COMMANDMENTS = ("grounding", "faithfulness", "gap_free", "constructive", "format")


class Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Needed(Shape):
    """Whether the statement has to be analysed before work on it begins."""

    needed: bool
    reason: Line = ""


class Symbol(Shape):
    name: Line
    meaning: Line


class Subgoal(Shape):
    id: Line
    goal: Text
    depends: list[Line] = []


class Analysis(Shape):
    """A problem made precise: what is given, what is to be shown, and in which parts."""

    formal: Text
    symbols: list[Symbol] = []
    subgoals: list[Subgoal] = []
    explicit: list[Text] = []
    implicit: list[Text] = []
    target: Text


class Query(Shape):
    text: Annotated[str, Field(min_length=1, max_length=500)]
    why: Line = ""


class Expected(Shape):
    title: Line | None = None
    authors: Line | None = None
    why: Line = ""


class LiteraturePlan(Shape):
    """What to search for, and which papers are expected, listed before anything is retrieved."""

    queries: Annotated[list[Query], Field(max_length=5)]
    expected: list[Expected] = []


class Item(Shape):
    source: Line
    statement: Text
    assumptions: list[Text] = []
    conclusion: Text
    role: Line = ""
    fits: Literal["yes", "no", "unsure"]
    why: Line = ""


class Understood(Shape):
    """What sources offer for the problem."""

    items: list[Item]
    summary: Text = ""


class Condition(Shape):
    text: Text
    status: Literal["holds", "not_shown", "fails"]
    where: Line = ""


class UsedEntry(Shape):
    entry: Line
    instance: Text
    conditions: list[Condition] = []


class Applied(Shape):
    """Entries of the knowledge bank as instances for the problem, each condition answered."""

    used: list[UsedEntry]


class Request(Shape):
    """Something to look up before the proof is written."""

    tool: Literal["search", "open", "knowledge", "calculate"]
    query: Annotated[str, Field(min_length=1, max_length=2_000)]


class Draft(Shape):
    """A whole proof, or a request to look something up first, or that there is none."""

    proof_latex: Text = ""
    outline: list[Text] = []
    cites: list[Line] = []
    answer: Text | None = None
    gaps: list[Text] = []
    request: Request | None = None
    abstain: bool = False
    reason: Line = ""


class Issue(Shape):
    place: Line
    kind: Literal["gap", "error", "assumption", "citation", "format"]
    text: Text


class Proposal(Shape):
    """A whole revised proof, with what was wrong before, or a request to look something up first."""

    issues: list[Issue] = []
    strategy: Literal["refine", "alternative"] = "refine"
    proof_latex: Text = ""
    cites: list[Line] = []
    answer: Text | None = None
    changed: Text = ""
    request: Request | None = None


class Repaired(Shape):
    """The same proof without the faults that a program found."""

    proof_latex: Text
    changed: Text = ""


Mark = Literal["pass", "fail", "na"]


class Commandments(Shape):
    grounding: Mark = "na"
    faithfulness: Mark = "na"
    gap_free: Mark = "na"
    constructive: Mark = "na"
    format: Mark = "na"


class Found(Shape):
    place: Line
    severity: Literal["fatal", "major", "minor"]
    text: Text


class Review(Shape):
    candidate: int
    verdict: Literal["sound", "flawed", "unsure"]
    commandments: Commandments = Commandments()
    issues: list[Found] = []


class Reviews(Shape):
    """One review of each candidate."""

    reviews: list[Review]


PROMPTS: dict[str, type[BaseModel]] = {
    "needs-analysis.v1": Needed,
    "analyse.v1": Analysis,
    "literature-plan.v1": LiteraturePlan,
    "understand.v1": Understood,
    "knowledge.v1": Applied,
    "draft.v1": Draft,
    "propose.v1": Proposal,
    "repair.v1": Repaired,
    "verify.v1": Reviews,
}
