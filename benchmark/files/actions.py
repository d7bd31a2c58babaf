"""Attaching files to instances and outputs, and removing them while that is possible."""

import hashlib

from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from benchmark.files.child import Cleaned
from benchmark.files.pictures import is_called, pictures_shown
from benchmark.files.process import cleaned
from benchmark.identities.actions import scan_outputs
from benchmark.models import (
    Attachment,
    CleanCopy,
    FileKind,
    Instance,
    OriginalFile,
    Output,
    OutputState,
    Release,
    Run,
)

MAX_BYTES = 50 * 1024 * 1024
MOST = 50  # files of one output or instance


def attach(
    *, actor: User | None, subject: Output | Instance, name: str, data: bytes, made: Cleaned | None = None
) -> Attachment:
    """Attach a PDF, PNG or JPEG; `name` is that of the file, or its path in the folder or archive it came in.

    The same file under the same name again changes nothing. An output is scanned for identities again. Raises
    NotAllowed for anyone but the study's staff (None is the console); Refused for a file that cannot be read or copied
    (code "bad_file"), for another one under the same name ("file_differs"), and where nothing may be added any more
    ("frozen"). A PDF of one page that the text shows as a picture becomes an image. The file is read in a child
    process, which takes seconds; inside a transaction, give the copy that was `made` of it before.
    """
    _require_staff(actor)
    name = name.strip()[-500:]
    if not name:
        raise Refused("The file has no name.", code="bad_file")
    if len(data) > MAX_BYTES:
        raise Refused(f"The file is larger than {MAX_BYTES >> 20} MB.", code="bad_file")
    sha256 = hashlib.sha256(data).hexdigest()
    before = subject.attachments.filter(original__name=name).select_related("original").first()
    if before is not None:
        if before.original.sha256 == sha256:
            return before
        raise Refused(f"There already is another file called {name}; remove it first.", code="file_differs")
    _refuse_settled(subject)
    names = [one for one in pictures_shown(subject) if is_called(name, one)]
    made = made or cleaned(data, picture=bool(names))
    with transaction.atomic():
        _hold(subject)
        _refuse_settled(subject)
        last = subject.attachments.aggregate(last=Max("number"))["last"] or 0
        if subject.attachments.count() >= MOST:
            raise Refused(f"There are already {MOST} files here.", code="too_many")
        copy, _ = CleanCopy.objects.get_or_create(
            sha256=hashlib.sha256(made.data).hexdigest(),
            defaults={
                "kind": made.kind,
                "data": made.data,
                "pages": made.pages,
                "words": made.words,
                "kept": made.kept,
            },
        )
        owner = {"output": subject} if isinstance(subject, Output) else {"instance": subject}
        try:
            with transaction.atomic():
                attachment = Attachment.objects.create(
                    number=last + 1,
                    copy=copy,
                    shown_as=names if names and made.kind == FileKind.IMAGE else None,
                    **owner,
                )
        except IntegrityError as error:
            raise Refused(
                "A campaign drew this, or somebody else attached a file just now.", code="busy"
            ) from error
        OriginalFile.objects.create(
            attachment=attachment, name=name, sha256=sha256, data=data, dropped=made.dropped, added_by=actor
        )
        _scan_again(subject)
        details = {"file": name, "sha256": sha256, "copy": copy.sha256}
        record(actor=actor, verb="attach_file", target=subject, details=details)
    return attachment


@transaction.atomic
def detach(*, actor: User | None, attachment: Attachment) -> None:
    """Remove a file, and its copy if nothing else has it. Raises NotAllowed, and Refused once it is frozen."""
    _require_staff(actor)
    subject = subject_of(attachment)
    _hold(subject)
    refuse_frozen(subject)
    name, copy = attachment.original.name, attachment.copy
    try:
        with transaction.atomic():
            attachment.delete()
    except IntegrityError as error:
        raise Refused("It belongs to what a campaign drew, and stays.", code="frozen") from error
    if not copy.attachments.exists():
        copy.delete()
    _scan_again(subject)
    record(actor=actor, verb="detach_file", target=subject, details={"file": name})


def subject_of(attachment: Attachment) -> Output | Instance:
    """What the file belongs to."""
    subject = attachment.output or attachment.instance
    assert subject is not None
    return subject


def refuse_frozen(subject: Output | Instance) -> None:
    """Raise Refused where the database would refuse a change, in better words."""
    holder = subject.run if isinstance(subject, Output) else subject.release
    if holder.frozen_at:
        what = "run" if isinstance(subject, Output) else "release"
        raise Refused(
            f"Its {what} is frozen: what people read and judge does not change any more.", code="frozen"
        )


def _refuse_settled(subject: Output | Instance) -> None:
    """Raise Refused where what is read does not change, or somebody has read it and decided."""
    refuse_frozen(subject)
    if isinstance(subject, Output) and subject.identity_decisions.filter(withdrawn_at=None).exists():
        raise Refused(
            "Someone has decided that this output may be read as it is; withdraw that decision first.",
            code="decided",
        )


def _hold(subject: Output | Instance) -> None:
    """Until the transaction ends nobody draws or freezes what the file belongs to, or decides about it; it is read as
    it is now, because cleaning a file takes seconds."""
    if isinstance(subject, Output):
        subject.run.frozen_at = Run.objects.select_for_update(no_key=True).get(pk=subject.run_id).frozen_at
    else:
        held = Release.objects.select_for_update(no_key=True).get(pk=subject.release_id)
        subject.release.frozen_at = held.frozen_at


def _scan_again(subject: Output | Instance) -> None:
    if isinstance(subject, Output) and subject.state == OutputState.ANSWERED:
        scan_outputs(subject.run.release, [subject])


def _require_staff(actor: User | None) -> None:
    if actor is not None and not is_study_staff(actor):
        raise NotAllowed("Only coordinators and owners can attach files.")
