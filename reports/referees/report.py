"""A referee report as its file has it: a head that says what was read, by whom and with what result. Pure."""

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotation.models import CommentKind, Severity
from benchmark.importing.records import RecordError

NEEDED = ("problem", "submission", "referee")
FIELDS = (*NEEDED, "campaign", "form", "date")
ABSTAINED = "cannot be judged"
_RULE = re.compile(r"---\s*")


@dataclass(frozen=True)
class HeadAnswer:
    """The answer to a question of the form."""

    question: str
    value: str
    line: int


@dataclass(frozen=True)
class Head:
    """What a report says about itself: `fields` are those of FIELDS that it names, `end` the line of the last rule."""

    fields: dict[str, str]
    answers: tuple[HeadAnswer, ...]
    end: int

    @property
    def moment(self) -> str:
        """The date as the label table has it. Raises ValueError."""
        if not self.fields.get("date"):
            return ""
        found = dt.datetime.fromisoformat(self.fields["date"])
        return (found if found.tzinfo else found.replace(tzinfo=dt.UTC)).isoformat()


@dataclass(frozen=True)
class ReportComment:
    """A comment of a report, on quoted words with what is around them, or on the text as a whole."""

    severity: str
    kind: str
    text: str
    line: int
    exact: str = ""
    prefix: str = ""
    suffix: str = ""
    whole: bool = False


@dataclass(frozen=True)
class RefereeReport:
    """A whole report."""

    head: Head
    summary: str
    comments: tuple[ReportComment, ...] = field(default=())


def read_head(lines: Iterable[str]) -> Head:
    """The lines between two rules (---) at the beginning. Raises RecordError naming line and field."""
    fields: dict[str, str] = {}
    answers: list[HeadAnswer] = []
    begun = in_answers = False
    for number, line in enumerate(lines, start=1):
        if not begun:
            if not line.strip():
                continue
            if not _RULE.fullmatch(line):
                break
            begun = True
            continue
        if _RULE.fullmatch(line):
            missing = [name for name in NEEDED if not fields.get(name)]
            if missing or not answers:
                missing += [] if answers else ["answers"]
                raise RecordError(
                    f"the head does not say {' and '.join(missing)}", line=number, field=missing[0]
                )
            return Head(fields, tuple(answers), number)
        if not line.strip():
            continue
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not name or not colon:
            raise RecordError("a line of the head reads “name: value”", line=number)
        if line[0].isspace() and in_answers:
            if any(one.question == name for one in answers):
                raise RecordError("is answered twice", line=number, field=name)
            answers.append(HeadAnswer(name, value, number))
            continue
        in_answers = name == "answers" and not value
        if not in_answers:
            if name not in FIELDS or name in fields:
                known = f"the head has only {', '.join(FIELDS)} and answers"
                raise RecordError(
                    "occurs twice in the head" if name in fields else known, line=number, field=name
                )
            fields[name] = value
    raise RecordError("the report does not begin with a head between two lines of ---", line=1)


def marks_of(tag: str) -> tuple[str, str] | None:
    """(severity, kind) of a tag such as "major, gap", each "" if it is not said; None if a word is neither."""
    severity = kind = ""
    for word in filter(None, (part.strip().lower().replace(" ", "_") for part in tag.split(","))):
        if word in Severity.values and not severity:
            severity = word
        elif word in CommentKind.values and not kind:
            kind = word
        else:
            return None
    return severity, kind
