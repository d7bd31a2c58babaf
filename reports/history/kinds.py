"""What the chain of history covers, and which columns of each row its hash is made of.

A link names the version of the columns that it hashed. When a table gets a new column, add a new version and
leave the old ones alone: what was sealed then is still checked by the columns of then.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Model

from accounts.models import AuditEvent
from annotation.models import Adjudication, Answer, Comment, Flag, FlagSpan, Grade
from judging.models import StepVerdict, Verdict
from reports.core.canonical import sha256


@dataclass(frozen=True)
class Columns:
    """The columns of `model` that are hashed; rows of `children` belong to the row that `of` points to."""

    model: type[Model]
    names: tuple[str, ...]
    of: str = ""
    children: "tuple[Columns, ...]" = ()

    @property
    def missing(self) -> set[str]:
        """Columns of the table that this version does not know."""
        return {field.attname for field in self.model._meta.concrete_fields} - {"id", self.of, *self.names}


@dataclass(frozen=True)
class HistoryKind:
    """One sort of row in the history; `versions` from the oldest (1) to the one that new links use."""

    key: str
    title: str
    versions: tuple[Columns, ...]

    @property
    def model(self) -> type[Model]:
        return self.versions[-1].model


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SPANS = Columns(FlagSpan, _words("block start end text"), of="flag_id")
_ANSWERS = Columns(Answer, _words("question step value state confidence comment preferred_id"), of="grade_id")
_FLAGS = Columns(Flag, _words("kind output_id link note"), of="grade_id", children=(_SPANS,))
_OF_A_GRADE = (
    _ANSWERS,
    Columns(Comment, _words("block start end severity kind text"), of="grade_id"),
    _FLAGS,
)
_WITH_ANCHORS = (
    _ANSWERS,
    Columns(Comment, _words("block start end severity kind text anchor"), of="grade_id"),
    _FLAGS,
)
KINDS = (
    HistoryKind(
        "audit-event",
        "Events of the audit trail",
        (Columns(AuditEvent, _words("at actor_id verb target_kind target_key reason details")),),
    ),
    HistoryKind(
        "grade",
        "Grades, with answers, comments and flags",
        (
            Columns(
                Grade,
                _words(
                    "assignment_id supersedes_id rubric_sha256 shown_sha256 active_seconds seen_before"
                    " statement_wrong note idempotency_key request_sha256 created_at"
                ),
                children=_OF_A_GRADE,
            ),
            Columns(
                Grade,
                _words(
                    "assignment_id supersedes_id rubric_sha256 shown_sha256 active_seconds seen_before"
                    " statement_wrong verdict_seen note idempotency_key request_sha256 created_at"
                ),
                children=_OF_A_GRADE,
            ),
            Columns(
                Grade,
                _words(
                    "assignment_id supersedes_id rubric_sha256 shown_sha256 active_seconds seen_before"
                    " statement_wrong verdict_seen note idempotency_key request_sha256 created_at"
                ),
                children=_WITH_ANCHORS,
            ),
            Columns(
                Grade,
                _words(
                    "assignment_id supersedes_id rubric_sha256 shown_sha256 active_seconds seen_before"
                    " statement_wrong verdict_seen searches note idempotency_key request_sha256 created_at"
                ),
                children=_WITH_ANCHORS,
            ),
        ),
    ),
    HistoryKind(
        "adjudication",
        "Adjudications",
        (
            Columns(
                Adjudication,
                _words(
                    "item_id question step value overrules cause note informed amendment supersedes_id"
                    " decided_by_id decided_at"
                ),
            ),
        ),
    ),
    HistoryKind(
        "verdict",
        "Verdicts of judges",
        (
            Columns(
                Verdict,
                _words(
                    "judge_id output_id second_id predicate order vote value state confidence reason call_id"
                    " created_at"
                ),
            ),
            Columns(
                Verdict,
                _words(
                    "judge_id output_id second_id instance_id predicate order vote value state confidence reason"
                    " evidence call_id created_at"
                ),
            ),
        ),
    ),
    HistoryKind(
        "step-verdict",
        "Verdicts of judges on steps",
        (Columns(StepVerdict, _words("verdict_id question step label reason")),),
    ),
)
BY_KEY = {kind.key: kind for kind in KINDS}


def hashes(columns: Columns, rows: Sequence[int]) -> dict[int, str]:
    """SHA-256 of each of `rows` (primary keys) with what belongs to it; rows that are gone are left out."""
    return {row: sha256(content) for row, content in _contents(columns, rows).items()}


def _contents(columns: Columns, rows: Sequence[int]) -> dict[int, dict[str, object]]:
    found = columns.model._default_manager.filter(pk__in=rows).order_by("pk").values("pk", *columns.names)
    contents: dict[int, dict[str, object]] = {}
    for content in found:
        for name, value in content.items():  # canonical JSON has neither times nor decimals
            if isinstance(value, datetime):
                content[name] = value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            elif isinstance(value, Decimal):
                content[name] = str(value)
        contents[content.pop("pk")] = content
    for child in columns.children:
        # the children's contents, in the order they were written, go into their parents' under the table's name
        parents = dict(
            child.model._default_manager.filter(**{f"{child.of}__in": list(contents)})
            .order_by("pk")
            .values_list("pk", child.of)
        )
        by_parent: defaultdict[int, list[Any]] = defaultdict(list)
        for row, content in _contents(child, list(parents)).items():
            by_parent[parents[row]].append(content)
        for row, content in contents.items():
            content[child.model._meta.db_table] = by_parent[row]
    return contents
