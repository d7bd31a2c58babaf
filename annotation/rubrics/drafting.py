"""Writing a form in the browser: drafts that save themselves, and the version that is made of one."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.actions import require_staff
from annotation.importing.grades import rubric_row
from annotation.models import Rubric as RubricRow
from annotation.models import RubricDraft
from annotation.rubrics.available import known_rubrics, rubric_called
from annotation.rubrics.checking import CheckedForm, checked_form
from annotation.rubrics.starts import start_called
from benchmark.protocols import get_protocol, protocol_names
from benchmark.rubrics import Rubric, RubricError
from canonical import canonical_json

MAX_BYTES = 200_000


class DraftConflict(Refused):
    """Somebody saved the draft in between; `stored` is what they saved."""

    def __init__(self, stored: RubricDraft) -> None:
        self.stored = stored
        super().__init__(
            f"{stored.saved_by} saved this draft in the meantime. Choose which version to continue with.",
            code="draft_conflict",
        )

    def further(self) -> dict[str, object]:
        return {"stored": {"saves": self.stored.saves, "content": self.stored.content}}


def check_of(draft: RubricDraft) -> CheckedForm:
    """What is wrong with the draft, read as the version that it would become."""
    known = known_rubrics(draft.protocol)
    versioned = {**draft.content, "version": next_version(known, draft.content.get("name"))}
    return checked_form(versioned, get_protocol(draft.protocol), known)


def earlier_versions(draft: RubricDraft) -> list[Rubric]:
    """The versions that exist of the form with the draft's name, the newest first."""
    name = draft.content.get("name")
    return [rubric for rubric in reversed(known_rubrics(draft.protocol)) if rubric.name == name]


def next_version(known: list[Rubric], name: object) -> int:
    """The number of the version that a form of this name becomes."""
    return max((rubric.version for rubric in known if rubric.name == name), default=0) + 1


@transaction.atomic
def start_draft(*, actor: User, protocol: str, start: str) -> RubricDraft:
    """A draft that begins with one of the starts, or with a stored rubric as the next version of it."""
    require_staff(actor)
    if protocol not in protocol_names():
        raise Refused(f"There is no protocol {protocol!r}.", field="protocol")
    content = start_called(start)
    if content is None:
        try:
            rubric = rubric_called(protocol, start)
            own = {each.name for each in get_protocol(protocol).rubrics}
        except RubricError as error:
            raise Refused(f"There is no form {start!r} to start from.", field="start") from error
        # a rubric of the protocol's folder gets a name of its own
        content = {**rubric.content, "name": f"{rubric.name}-own" if rubric.name in own else rubric.name}
    draft = RubricDraft.objects.create(protocol=protocol, content=content, created_by=actor, saved_by=actor)
    record(
        actor=actor, verb="start_rubric_draft", target=draft, details={"protocol": protocol, "start": start}
    )
    return draft


@transaction.atomic
def save_draft(*, actor: User, draft: RubricDraft, saves: int, content: Any) -> RubricDraft:
    """Store what the editor holds. Raises DraftConflict unless `saves` is the number of the last save."""
    require_staff(actor)
    if not isinstance(content, dict):
        raise Refused("The content of a form is a JSON object.", code="malformed", field="content")
    if len(canonical_json(content)) > MAX_BYTES:
        raise Refused(f"A form has at most {MAX_BYTES // 1000} kB.", code="malformed", field="content")
    saved = RubricDraft.objects.filter(pk=draft.pk, saves=saves).update(
        content=content, saves=saves + 1, saved_by=actor, saved_at=timezone.now()
    )
    draft.refresh_from_db()
    if not saved:
        raise DraftConflict(draft)
    return draft


@transaction.atomic
def publish_draft(*, actor: User, draft: RubricDraft, saves: int) -> RubricRow:
    """Make an immutable version of the draft, which ends. Raises Refused with everything that is wrong with it."""
    require_staff(actor)
    draft = RubricDraft.objects.select_for_update().get(pk=draft.pk)
    if draft.saves != saves:
        raise DraftConflict(draft)
    form = check_of(draft)
    if form.rubric is None:
        raise Refused(" ".join(fault.reason for fault in form.faults[:5]), code="bad_rubric")
    row = rubric_row(draft.protocol, form.rubric)
    details = {"protocol": draft.protocol, "label": row.label, "sha256": row.sha256}
    record(actor=actor, verb="publish_rubric", target=row, details=details)
    draft.delete()
    return row


@transaction.atomic
def discard_draft(*, actor: User, draft: RubricDraft) -> None:
    """Delete a draft for good; versions that were made stay."""
    require_staff(actor)
    record(actor=actor, verb="discard_rubric_draft", target=draft, details={"content": draft.content})
    draft.delete()
