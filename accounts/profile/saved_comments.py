"""The comments that a person keeps to use again: saved, changed and deleted by themselves alone."""

from django.db import transaction
from django.utils import timezone

from accounts.models import SavedComment, User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record

LIMIT = 500
LONGEST = 2000  # characters


@transaction.atomic
def save_comment(*, actor: User, text: str) -> SavedComment:
    """Keep a comment. One that is kept already, word for word, is not kept twice.

    Raises Refused (code "bad_comment", "too_many_comments") for an empty or overlong one, or for the 501st.
    """
    text = checked_comment(text)
    User.objects.select_for_update().get(pk=actor.pk)  # two windows that save the same must not both write
    kept = actor.saved_comments.filter(text=text).first()
    if kept is not None:
        return kept
    if actor.saved_comments.count() >= LIMIT:
        raise Refused(f"You keep {LIMIT} comments. Delete one first.", code="too_many_comments")
    row = SavedComment.objects.create(user=actor, text=text)
    record(actor=actor, verb="save_comment", target=row)
    return row


@transaction.atomic
def change_comment(*, actor: User, comment: SavedComment, text: str) -> SavedComment:
    """Replace the words of an own saved comment. Grades that took them keep what they took.

    Raises Refused (code "same_comment") where another one of the person's reads like this.
    """
    _require_own(actor, comment)
    text = checked_comment(text)
    if actor.saved_comments.filter(text=text).exclude(pk=comment.pk).exists():
        raise Refused("You keep this comment already.", code="same_comment", field="text")
    comment.text, comment.changed_at = text, timezone.now()
    comment.save(update_fields=["text", "changed_at"])
    record(actor=actor, verb="change_comment", target=comment)
    return comment


@transaction.atomic
def delete_comment(*, actor: User, comment: SavedComment) -> None:
    """Forget an own saved comment."""
    _require_own(actor, comment)
    record(actor=actor, verb="delete_comment", target=comment)
    comment.delete()


def checked_comment(text: str) -> str:
    """`text` with one kind of line break and no space around it; raises Refused (code "bad_comment")."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise Refused("The comment is empty.", code="bad_comment", field="text")
    if len(text) > LONGEST:
        raise Refused(f"A saved comment has at most {LONGEST} characters.", code="bad_comment", field="text")
    if "\0" in text:
        raise Refused("The comment holds a NUL character.", code="bad_comment", field="text")
    return text


def _require_own(actor: User, comment: SavedComment) -> None:
    if comment.user_id != actor.pk:
        raise NotAllowed("This comment is somebody else's.")
