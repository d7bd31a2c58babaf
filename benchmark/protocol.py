"""What a protocol folder provides. The registry is in benchmark/protocols/__init__.py."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from benchmark.condition_tables import ConditionTable
from benchmark.importing.records import RecordError
from benchmark.rubrics import Rubric, RubricError
from benchmark.settling.case import OpenCase

PROGRAM_VALUES = ("yes", "no", "uncertain")
NOT_RELEASED = "not_released"  # state of a record of an output that exists but is not public
UNAVAILABLE_BUCKET = "unavailable"  # the value of `bucket` for an output that no verdict could place


@dataclass(frozen=True)
class PaperRecord:
    """The paper of an instance as its file gives it."""

    key: str
    title: str = ""
    year: int | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class InstanceRecord:
    """One validated instance. `line` is its line in the file (1-based)."""

    key: str
    domain: str
    payload: Mapping[str, Any]
    paper: PaperRecord | None = None
    split: str = ""
    line: int = 0


@dataclass(frozen=True)
class OutputRecord:
    """One validated output of a system for the instance with key `instance`.

    `state` is answered, abstained or failed, or NOT_RELEASED, which has neither text, payload nor attempts.
    """

    instance: str
    text: str
    text_format: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
    state: str = "answered"
    line: int = 0


@dataclass(frozen=True)
class VerdictRecord:
    """What a benchmark's own evaluator said about an output, by the name of its `judge` as the file has it."""

    instance: str
    attempt: int
    predicate: str
    value: str
    judge: str
    reason: str = ""
    confidence: float | None = None
    line: int = 0


def withheld_record(instance: str) -> OutputRecord:
    """What a loader yields for an output that was not released: nothing but that."""
    return OutputRecord(instance=instance, text="", text_format="latex", state=NOT_RELEASED)


@dataclass(frozen=True)
class Predicate:
    """A question that a judge answers about an output, a pair of outputs or an instance, with its prompt.

    `steps` is the stepwise question of the rubrics that its prompt asks about every step of the output as well.
    """

    key: str
    prompt: str  # the newest version of the prompt file, e.g. "grounding.v1"
    steps: str = ""


@dataclass(frozen=True)
class ProgramReply:
    """What a program says: a value (yes, no, uncertain), or "" with `state` unavailable when it could not run.

    `reason` is for people; `evidence` is plain JSON, for example spans of the text or a counter-example.
    """

    value: str
    reason: str
    state: str = "answered"
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        allowed = PROGRAM_VALUES if self.state == "answered" else ("",)
        if self.state not in ("answered", "unavailable") or self.value not in allowed:
            raise ValueError(f"a program cannot reply {self.value!r} with state {self.state!r}")
        if not self.reason.strip():
            raise ValueError("a program's reply needs a reason")


@dataclass(frozen=True)
class ProgramJudge:
    """A judge that is a pure function of this protocol instead of a model.

    `decide` gets the predicate, the instance's payload, the output's payload (None for a question about the
    instance alone) and the output's text. It runs in a child process without settings, database or network
    keys and is killed after `seconds`. Whatever could change an answer needs a new `version`: that makes a
    new judge version, and the old one can no longer be asked. A program about instances is asked by the
    construction audit, not by judge runs.
    """

    name: str
    version: int
    predicates: tuple[str, ...]
    decide: Callable[[str, Mapping[str, Any], Mapping[str, Any] | None, str], ProgramReply]
    title: str = ""
    seconds: float = 20.0
    subject: Literal["output", "instance"] = "output"

    @property
    def label(self) -> str:
        """Name and version, e.g. "algebra-v1"."""
        return f"{self.name}-v{self.version}"


@dataclass(frozen=True)
class ConstructionItem:
    """One item of a construction audit: what an instance must satisfy to pass.

    `program` says that the protocol's program about instances answers it, within `limits`; the others need a
    person.
    """

    key: str
    title: str
    passes: str
    program: bool = True
    limits: str = ""


@dataclass(frozen=True)
class Part:
    """A titled text of an instance or output, shown to graders and rendered by latex/."""

    title: str
    text: str
    text_format: str = "latex"
    collapsed: bool = False


@dataclass(frozen=True)
class LabelledOutput:
    """An output with one rater kind's labels: question to value, or to "" with the state in `states`.

    `state` is the output's own state (answered, abstained, failed). `reached` are the predicates about stages that
    an output reached although it abstained at the last one.
    """

    system: str
    instance: str
    cluster: str
    domain: str
    attempt: int
    state: str
    labels: Mapping[str, str]
    states: Mapping[str, str] = field(default_factory=dict)
    reached: frozenset[str] = frozenset()

    def is_judged_by(self, predicates: Collection[str]) -> bool:
        """Whether what these predicates are about is there; otherwise the output counts negative by rule."""
        return self.state == "answered" or (bool(predicates) and self.reached.issuperset(predicates))


@dataclass(frozen=True)
class Metric:
    """A rate over outputs. `success` says whether an output counts; the denominator is every output of the
    run except those whose needed label is unavailable. An `optional` one is left out where nobody was asked.
    """

    key: str
    title: str
    definition: str
    needs: tuple[str, ...]
    success: Callable[[LabelledOutput], bool]
    optional: bool = False


OpenCases = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[OpenCase]]


@dataclass(frozen=True)
class Measure:
    """A number in [0, 1] for each output that follows from files alone: nobody judges it.

    `value` gets the instance's payload and the output's. The output's is None where the run has no output for
    the instance, or it abstained or failed: what that counts is up to the measure. A value of None means
    that the measure does not apply to this output, which then leaves the denominator and is counted. `binary`
    says that every value is 0 or 1, so that the mean is a proportion. `not_under` are the conditions under which
    it says nothing. `reads_abstained`: of an output that abstained, `value` gets the payload too. `open_cases` are
    those that only a person can decide: a value of 0 becomes 1 where somebody says "same" to one of them.
    """

    key: str
    title: str
    definition: str
    value: Callable[[Mapping[str, Any], Mapping[str, Any] | None], float | None]
    binary: bool = False
    not_under: tuple[str, ...] = ()
    reads_abstained: bool = False
    open_cases: OpenCases | None = None


@dataclass(frozen=True)
class SuccessTypes:
    """Kinds of success by the metric `metric`, each of which an audit of the judge validates by itself.

    `titles` are key to title; `key_of` gets the payloads of instance and output. A judge's success is valid if the
    experts say yes to all that the metric needs, and not no to the rubric's question `veto`. `undecided` is the type
    of those that only a person can place: `open_cases` asks, and `settled` is the type by the answer, same or
    different.
    """

    metric: str
    titles: Mapping[str, str]
    key_of: Callable[[Mapping[str, Any], Mapping[str, Any]], str]
    veto: str
    undecided: str = ""
    open_cases: OpenCases = lambda instance, output: ()
    settled: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StepMeasure:
    """A number in [0, 1] for each output that follows from one expert's labels of its steps.

    `value` gets the labels of the stepwise question `question` in the order of the steps ("not_assessed" where
    one was passed over); None means that they do not decide it.
    """

    key: str
    title: str
    definition: str
    question: str
    value: Callable[[Sequence[str]], float | None]
    binary: bool = False


@dataclass(frozen=True)
class Solvable:
    """What solvers are given of an instance, and the line of an outputs file that an attempt comes to.

    `given(payload, track, condition)` has nothing that a system must not see: no reference solution, say. `answer` gets
    the key of the instance, the number of the attempt, the state of the output (answered, abstained, failed), and what
    the recipe returned, and is None for an attempt that is not an output. `tracks` are those that can be solved, by
    their conditions ("" is the usual one).
    """

    given: Callable[[Mapping[str, Any], str, str], Mapping[str, Any]]
    answer: Callable[[str, int, str, Mapping[str, Any]], Mapping[str, Any] | None]
    tracks: Mapping[str, tuple[str, ...]]
    attempts: int = 1000


@dataclass(frozen=True)
class OutputFlag:
    """A breach of the protocol's rules that shows in the payloads alone: `certain`, or for a person to check."""

    kind: str
    certain: bool
    reason: str


@dataclass(frozen=True)
class ShownSource:
    """The source of something that a search found; `identifier` is what its corpus calls it."""

    title: str
    authors: str
    year: int | None
    identifier: str


class NotFrozen(ValueError):
    """An output that a frozen retrieval artifact contradicts, in this field of it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


@dataclass(frozen=True)
class SourceDates:
    """The years of the sources of an output: each with its title, None where the year is not known. `latest` is the
    year after which the instance allows none, None where that is not known."""

    latest: int | None
    candidates: tuple[tuple[str, int | None], ...]
    selected: tuple[str, int | None] | None


@dataclass(frozen=True)
class Case:
    """An answered output as a case study reads it: payloads of instance and output, the judge's labels, and what
    people said to open cases (pair to same or different)."""

    instance: Mapping[str, Any]
    output: Mapping[str, Any]
    labelled: LabelledOutput
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CaseColumn:
    """A column of the table that puts all systems' outputs for one instance side by side.

    It is about the run on `track` ("" is the track that was asked for) under `condition`. `value` gives yes, no or
    uncertain, any text if `is_text`, and "" where there is nothing to say. `needs` are the predicates from which
    the value follows: they tell why there is none. `of_abstained`: it also reads what an output has that abstained
    at a later stage.
    """

    key: str
    title: str
    definition: str
    value: Callable[[Case], str]
    needs: tuple[str, ...] = ()
    track: str = ""
    condition: str = ""
    is_text: bool = False
    of_abstained: bool = False


@dataclass(frozen=True)
class Variant:
    """That an instance was made from another one of its release, for comparison: how, and from which key."""

    kind: str
    original: str


Content = tuple[Mapping[str, Any], str]  # payload and text of an output
PairFields = Callable[[str, Mapping[str, Any], Content, Content], Mapping[str, str]]
FlagOutput = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[OutputFlag]]
Retrieved = Callable[[str], Sequence[ShownSource] | None]  # best first; None for a query that was not frozen
WithRetrieved = Callable[[Mapping[str, Any], Retrieved], Mapping[str, Any]]
Payloads = Iterable[Mapping[str, Any]]
CompareReleases = Callable[[Payloads, Payloads, Collection[str]], Mapping[str, Any]]
InstanceFields = Callable[[str, Mapping[str, Any]], Mapping[str, str]]


@dataclass(frozen=True)
class Protocol:
    """Everything particular to one benchmark: what every protocol has, then its options. All callables are pure."""

    name: str
    title: str
    folder: Path
    rubrics: tuple[Rubric, ...]
    predicates: tuple[Predicate, ...]
    """About single outputs. No two predicates share a key, whatever they are about."""
    metrics: tuple[Metric, ...]
    read_release: Callable[[Path], Iterator[InstanceRecord | RecordError]]
    """Streams the records of a release file. One that does not fit comes as a RecordError with line and field, so that
    one import names all faults."""
    read_outputs: Callable[[Path], Iterator[OutputRecord | RecordError]]
    """The same for a file of outputs."""
    instance_parts: Callable[[Mapping[str, Any]], Sequence[Part]]
    """What a blinded grader may see of an instance, by its payload, in order."""
    output_parts: Callable[[Mapping[str, Any], str, str], Sequence[Part]]
    """What a blinded grader may see of an output, by payload, text and format of the text, in order. Comments are
    anchored to the text of the first part."""
    prompt_fields: Callable[[str, Mapping[str, Any], Mapping[str, Any], str], Mapping[str, str]]
    """The fields of a predicate's prompt, from the predicate, the payloads of instance and output, and the text."""
    bucket: Callable[[LabelledOutput], str]
    """The judge's stratum of an output, for an audit."""
    release_line: type[BaseModel]
    """The schema of a line of a release file. From this and the next one the pages about formats and the mapping of
    tables are made."""
    output_line: type[BaseModel]

    # What else can be asked.
    program_judges: tuple[ProgramJudge, ...] = ()
    """They answer predicates without a model."""
    construction_items: tuple[ConstructionItem, ...] = ()
    """What a construction audit asks of every instance."""
    audited_parts: Callable[[Mapping[str, Any]], Sequence[Part]] | None = None
    """What experts see of an instance in a construction audit; without it, its `instance_parts`."""
    flag_kinds: tuple[str, ...] = ("context", "public_solution")
    """The kinds of leakage (benchmark/leakage_kinds.py) that graders can flag."""
    diagnostic_predicates: tuple[Predicate, ...] = ()
    """About single outputs too, but a judge has them only where they are named."""
    pair_predicates: tuple[Predicate, ...] = ()
    """Which of two outputs to one instance is better: first, second or tie."""
    pair_fields: PairFields | None = None
    """The fields of their prompts, from the predicate, the instance's payload, and payload and text of both outputs in
    the order shown."""
    instance_predicates: tuple[Predicate, ...] = ()
    """About an instance alone: yes, no or uncertain."""
    instance_fields: InstanceFields | None = None
    """The fields of their prompts, from the predicate and the instance's payload."""
    reached: Callable[[str, Mapping[str, Any]], bool] | None = None
    """Whether an output that abstained has, by its payload, what a predicate is about: its plan, say."""
    asked_of: Callable[[str, Mapping[str, Any]], bool] | None = None
    """Whether a predicate is asked of an answered output, by its payload: of a proof nobody asks what is asked of a
    context."""

    # What is computed and shown.
    measures: tuple[Measure, ...] = ()
    """Computed from files alone."""
    step_measures: tuple[StepMeasure, ...] = ()
    """Computed from experts' labels of steps."""
    strata: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None
    """Sorts an instance, by its payload, into classes in addition to its domain (name of the division to class), in
    which every metric is shown too."""
    staff_facts: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None
    """What the study's staff may see of an output's payload in addition to its shown parts: budgets, say."""
    success_types: SuccessTypes | None = None
    """How an audit divides the judge's successes."""
    case_columns: tuple[CaseColumn, ...] = ()
    """The columns of a case study; without them, every predicate and measure is one."""
    condition_tables: tuple[ConditionTable, ...] = ()
    """Which tracks and conditions may be shown side by side; without them, none."""

    # What is known of instances and outputs.
    variant_of: Callable[[Mapping[str, Any]], Variant | None] | None = None
    """From which other instance of its paper an instance was made, if any, by its payload."""
    passage_of: Callable[[Mapping[str, Any]], Any] | None = None
    """What two instances made from one passage have in common, as JSON; None if there is nothing to compare."""
    compare_releases: CompareReleases | None = None
    """How far a second run of the same curation reproduces the first: from the payloads of both and the keys that
    experts found again in other words to {"shares": name to estimate, ...}."""
    flag_output: FlagOutput | None = None
    """Breaches of the rules in an answered output at its import, from the payloads of instance and output, at most one
    of a kind. A flag changes no score."""
    source_dates: Callable[[Mapping[str, Any], Mapping[str, Any]], SourceDates] | None = None
    """The years of an output's sources, and the last year that its instance allows."""

    # Further ways in and out.
    read_verdicts: Callable[[Path], Iterator[VerdictRecord | RecordError]] | None = None
    """The verdicts in a file of outputs that the benchmark's own evaluator wrote."""
    published_line: Callable[[Mapping[str, Any]], str] | None = None
    """An instance's payload as a line of the published file, without line feed."""
    with_retrieved: WithRetrieved | None = None
    """An output's payload with the sources that a frozen retrieval artifact found for its query; raises NotFrozen."""
    solving: Solvable | None = None
    """Lets solvers work on the instances."""

    @property
    def output_predicates(self) -> tuple[Predicate, ...]:
        """What models are asked about single outputs."""
        return (*self.predicates, *self.diagnostic_predicates)

    @property
    def all_predicates(self) -> tuple[Predicate, ...]:
        """What models are asked: about outputs, pairs of outputs, and instances."""
        return (*self.output_predicates, *self.pair_predicates, *self.instance_predicates)

    @property
    def has_open_cases(self) -> bool:
        """Whether outputs can leave something to a person that no program can tell."""
        return any(measure.open_cases is not None for measure in self.measures)

    def construction_parts(self, payload: Mapping[str, Any]) -> Sequence[Part]:
        """What experts see of an instance in a construction audit."""
        return (self.audited_parts or self.instance_parts)(payload)

    def questions_about(self, subject: Literal["output", "pair", "instance"]) -> list[str]:
        """What models, and programs of the construction audit, answer about an output, a pair or an instance."""
        if subject == "instance":
            by_program = [item.key for item in self.construction_items]
            return list(dict.fromkeys([*(known.key for known in self.instance_predicates), *by_program]))
        return [
            predicate.key
            for predicate in (self.pair_predicates if subject == "pair" else self.output_predicates)
        ]

    def program(self, name: str) -> ProgramJudge:
        """The program judge called `name` or labelled so ("algebra", "algebra-v1"); raises KeyError."""
        for program in self.program_judges:
            if name in (program.name, program.label):
                return program
        known = ", ".join(program.label for program in self.program_judges) or "none"
        raise KeyError(f"protocol {self.name} has no program {name!r}; it has {known}")

    def rubric(self, label: str) -> Rubric:
        """The rubric version called `label`, e.g. "proofs-v1"; raises RubricError if there is none."""
        for rubric in self.rubrics:
            if rubric.label == label:
                return rubric
        known = ", ".join(rubric.label for rubric in self.rubrics) or "none"
        raise RubricError(f"protocol {self.name} has no rubric {label!r}; it has {known}")
