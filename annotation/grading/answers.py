"""From what a reviewer's form or client sends to checked answers. Pure: rubric and content in, values out.

Content is one JSON object, the same in drafts, submissions and the REST interface:

    {"answers": {question: value}, "steps": {question: {step: value}},
     "abstained": [question], "comments": {question: text},
     "anchored": [{"block", "start", "end", "severity", "kind", "text"}, and on a page of a PDF "anchor"],
     "flags": [{"kind", "spans": [{"block", "start", "end"}], "link", "note"}],
     "note": text, "seen_before": bool, "seen_where": text, "statement_wrong": bool,
     "unjudged": {"reason", "note"}, "searches": count}

With a reason in "unjudged" the item cannot be judged: no question has an answer, and every one that needs one is
stored with the label state that follows from the reason.

"searches" is how often the reviewer searched on the page; what for is not in it.

The answer to "which is the first wrong step" is that step, or "none".

A draft may be anything of this shape, however incomplete; `checked` is what a submission must pass.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from accounts.refusal import Refused
from annotation.grading.file_anchors import FilePage, checked_anchor
from annotation.grading.leakage import CheckedFlag, FlagPlace, checked_flags
from annotation.grading.unjudged import CheckedReason, checked_reason
from benchmark.rubric_rules import SEVERITIES, broken
from benchmark.rubrics import Question, Rubric, RubricError
from benchmark.steps import NO_ERROR, Step, up_to_first_error
from canonical import canonical_json
from stats.core.scale import value_words

MAX_CONTENT_BYTES = 1_000_000
MAX_WHERE = 500
MAX_SEARCHES = 1000  # a script stops counting there
HIGHLIGHT = "highlight"  # a marked passage; it needs no words
KINDS = ("", "gap", "wrong_step", "missing_hypothesis", "citation", "attribution", "presentation")
_SHAPE: dict[str, type] = {
    "answers": dict,
    "steps": dict,
    "abstained": list,
    "comments": dict,
    "anchored": list,
    "flags": list,
    "note": str,
    "seen_before": bool,
    "seen_where": str,
    "statement_wrong": bool,
    "unjudged": dict,
    "searches": int,
}


@dataclass(frozen=True)
class CheckedAnswer:
    """A canonical value, or "" for a question the reviewer could not judge. `step` is empty for whole answers."""

    question: str
    value: str
    comment: str = ""
    step: str = ""
    state: str = "answered"


@dataclass(frozen=True)
class CheckedComment:
    """A remark on source offsets [start, end) of a block; of a page of a PDF with an `anchor`."""

    block: str
    start: int
    end: int
    severity: str
    kind: str
    text: str
    anchor: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Submission:
    """Everything a grade stores."""

    answers: tuple[CheckedAnswer, ...]
    comments: tuple[CheckedComment, ...] = ()
    flags: tuple[CheckedFlag, ...] = ()
    note: str = ""
    seen_before: bool = False
    seen_where: str = ""
    statement_wrong: bool = False
    unjudged: CheckedReason | None = None
    searches: int = 0


class Incomplete(Refused):
    """The answers cannot be submitted yet; `problems` maps a question (or "comments") to its reason."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__(
            " ".join(dict.fromkeys(self.problems.values())),
            code="incomplete",
            field=next(iter(self.problems), ""),
        )

    def further(self) -> dict[str, object]:
        return {"problems": self.problems}


def shaped(content: Any) -> dict[str, Any]:
    """Content with only known fields of the right type; raises Refused (code "malformed") otherwise."""
    if not isinstance(content, dict):
        raise Refused("The content must be a JSON object.", code="malformed")
    for name, value in content.items():
        if name not in _SHAPE:
            raise Refused(f"There is no field {name!r} in the content.", code="malformed", field=name)
        if not isinstance(value, _SHAPE[name]):
            raise Refused(f"{name} must be a {_SHAPE[name].__name__}.", code="malformed", field=name)
    if not all(isinstance(key, str) for key in content.get("abstained", [])):
        raise Refused("abstained must be a list of keys of questions.", code="malformed", field="abstained")
    searches = content.get("searches", 0)
    if isinstance(searches, bool) or not 0 <= searches <= MAX_SEARCHES:
        reason = f"searches must be a number from 0 to {MAX_SEARCHES}."
        raise Refused(reason, code="malformed", field="searches")
    if len(canonical_json(content)) > MAX_CONTENT_BYTES:
        raise Refused("The content is longer than a megabyte.", code="malformed")
    return content


@dataclass(frozen=True)
class Flaggable:
    """What flags may say: kinds of the protocol, and the blocks of everything shown."""

    kinds: Collection[str] = ()
    places: Mapping[str, FlagPlace] = field(default_factory=dict)


def checked(
    rubric: Rubric,
    content: Mapping[str, Any],
    blocks: Mapping[str, int],
    steps: Sequence[Step] = (),
    flaggable: Flaggable = Flaggable(),
    pages: Mapping[str, FilePage] = {},
) -> Submission:
    """The submission in `content`; raises Incomplete naming every question that lacks its answer.

    `blocks` maps the ids of the shown blocks to the length of their source: a comment must lie inside one.
    `steps` are what stepwise questions are about.
    `flaggable` is the same for flags of leakage; without it there can be none.
    `pages` are those of attached PDFs by their ids, which comments may name like blocks.
    """
    problems: dict[str, str] = {}
    unjudged = checked_reason(content.get("unjudged", {}), problems)
    if unjudged is None:
        answers = _answers(rubric, content, steps, problems)
    else:
        # every question that needs an answer gets the reason; an answer in addition is a contradiction
        commented = any(str(words).strip() for words in content.get("comments", {}).values())
        answered = (
            content.get("answers") or any(content.get("steps", {}).values()) or content.get("abstained")
        )
        if answered or commented:
            problems["unjudged"] = (
                "You answered or commented on questions and also said that the item cannot be judged. Change one."
            )
        answers = [
            CheckedAnswer(question.key, "", unjudged.words, state=unjudged.state)
            for question in rubric.questions
            if question.required
        ]
    comments = _comments(content.get("anchored", []), blocks, pages, problems)
    flags = checked_flags(content.get("flags", []), flaggable.places, flaggable.kinds, problems)
    _contradiction(rubric, answers, comments, problems)
    given = {answer.question: answer.value for answer in answers if not answer.step}
    for place, words in broken(rubric.rules, given, {comment.severity for comment in comments}):
        problems.setdefault(place, words)
    # without "seen before" the field is ignored
    where = " ".join(content.get("seen_where", "").split()) if content.get("seen_before", False) else ""
    if len(where) > MAX_WHERE:
        problems["seen_where"] = f"Say where you saw it in at most {MAX_WHERE} characters."
    if problems:
        raise Incomplete(problems)
    return Submission(
        answers=tuple(answers),
        comments=tuple(comments),
        flags=tuple(flags),
        note=content.get("note", "").strip(),
        seen_before=content.get("seen_before", False),
        seen_where=where,
        statement_wrong=content.get("statement_wrong", False),
        unjudged=unjudged,
        searches=content.get("searches", 0),
    )


def _answers(
    rubric: Rubric, content: Mapping[str, Any], steps: Sequence[Step], problems: dict[str, str]
) -> list[CheckedAnswer]:
    named = (
        *content.get("answers", {}), *content.get("steps", {}), *content.get("abstained", []),
        *content.get("comments", {}),
    )  # fmt: skip
    known = {question.key for question in rubric.questions}
    for key in named:
        if key not in known:
            problems[str(key)] = f"{rubric.label} has no question {key!r}."
    found: list[CheckedAnswer] = []
    for question in rubric.questions:
        comment = str(content.get("comments", {}).get(question.key, "")).strip()
        given: list[CheckedAnswer] = []
        try:
            if question.key in content.get("abstained", []):
                if not comment:
                    raise Refused("Say in a few words why this cannot be judged.")
                given = [CheckedAnswer(question.key, "", comment, state="abstain")]
            elif question.scale.stepwise:
                chosen = _first_error if question.scale.kind == "first_error" else _every_step
                values = chosen(question, content, steps)
                # a comment on the question is put at its first wrong step, or else at its first step
                wrong = (step for step, value in values.items() if value == "incorrect")
                place = next(wrong, next(iter(values), ""))
                given = [
                    CheckedAnswer(question.key, value, comment if step == place else "", step)
                    for step, value in values.items()
                ]
            elif raw := str(content.get("answers", {}).get(question.key, "")).strip():
                given = [CheckedAnswer(question.key, _canonical(question, raw), comment)]
            elif question.required:
                raise Refused("This question still needs an answer.")
        except Refused as refusal:
            problems[question.key] = refusal.reason
            continue
        if not given and comment:
            problems[question.key] = "You commented on this question: answer it, too, or remove the comment."
        found.extend(given)
    return found


def _canonical(question: Question, raw: str) -> str:
    try:
        return question.canonical(raw)
    except RubricError as error:
        raise Refused(f"{error}.") from error


def _first_error(question: Question, content: Mapping[str, Any], steps: Sequence[Step]) -> dict[str, str]:
    first = str(content.get("answers", {}).get(question.key, "")).strip()
    if first and first != NO_ERROR and first not in {step.key for step in steps}:
        raise Refused(f"{first!r} is not a step of this text.")
    if not first and question.required:
        raise Refused("Mark the first wrong step, or say that there is none.")
    return up_to_first_error(steps, first) if first else {}


def _every_step(question: Question, content: Mapping[str, Any], steps: Sequence[Step]) -> dict[str, str]:
    given = content.get("steps", {}).get(question.key, {})
    if not isinstance(given, dict):
        raise Refused("The labels of steps must be an object.")
    strange = sorted(set(given) - {step.key for step in steps})
    if strange:
        raise Refused(f"{strange[0]!r} is not a step of this text.")
    found = {step.key: _canonical(question, str(given[step.key])) for step in steps if given.get(step.key)}
    if question.required and len(found) < len(steps):
        missing = [step.name for step in steps if step.key not in found]
        raise Refused(f"Still without a label: step {', '.join(missing[:8])}{' …' * (len(missing) > 8)}.")
    return found


def _comments(
    anchored: list[Any],
    blocks: Mapping[str, int],
    pages: Mapping[str, FilePage],
    problems: dict[str, str],
) -> list[CheckedComment]:
    comments = []
    for number, raw in enumerate(anchored, start=1):
        try:
            comment = CheckedComment(
                block=str(raw["block"]),
                start=int(raw.get("start", 0)),
                end=int(raw.get("end", 0)),
                severity=str(raw["severity"]),
                kind=str(raw.get("kind", "")),
                text=str(raw["text"]).strip(),
            )
            if comment.block in pages:
                anchor, start, end = checked_anchor(raw.get("anchor"), pages[comment.block])
                comment = replace(comment, anchor=anchor, start=start, end=end)
            elif comment.block not in blocks:
                raise ValueError("its block is not in this document")
            elif not 0 <= comment.start <= comment.end <= blocks[comment.block]:
                raise ValueError("its offsets lie outside its block")
            if comment.severity not in (*SEVERITIES, HIGHLIGHT) or comment.kind not in KINDS:
                raise ValueError("its severity or kind is unknown")
            if not comment.text and comment.severity != HIGHLIGHT:
                raise ValueError("it is empty")
            comments.append(comment)
        except (KeyError, TypeError, ValueError) as error:
            problems["comments"] = f"Comment {number} cannot be kept: {error}."
    return comments


def _contradiction(
    rubric: Rubric, answers: list[CheckedAnswer], comments: list[CheckedComment], problems: dict[str, str]
) -> None:
    """A success on a scale of correctness together with a fatal comment: one of the two must be a mistake."""
    if not any(comment.severity == "fatal" for comment in comments):
        return
    for answer in answers:
        scale = rubric.question(answer.question).scale
        if scale.correctness and answer.value in scale.success:
            problems.setdefault(
                answer.question,
                f"You answered “{value_words(answer.value)}” and also marked a fatal comment. "
                "Change the one that is wrong.",
            )
