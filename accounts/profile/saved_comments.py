"""A person's saved comments, which only they can save, change and delete."""

from django.db import transaction
from django.utils import timezone

from accounts.models import SavedComment, User
from accounts.profile.actions import hold
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record

LIMIT = 500
LONGEST = 2000  # characters


@transaction.atomic
def save_comment(*, actor: User, text: str) -> SavedComment:
    """Save a comment. A comment that is already saved, word for word, is not saved twice.

    Raises Refused (code "bad_comment", "too_many_comments") for an empty or overlong one, or for the 501st.
    """
    text = checked_comment(text)
    hold(actor)
    kept = actor.saved_comments.filter(text=text).first()
    if kept is not None:
        return kept
    if actor.saved_comments.count() >= LIMIT:
        raise Refused(f"You have already saved {LIMIT} comments. Delete one first.", code="too_many_comments")
    row = SavedComment.objects.create(user=actor, text=text)
    record(actor=actor, verb="save_comment", target=row)
    return row


@transaction.atomic
def change_comment(*, actor: User, comment: SavedComment, text: str) -> SavedComment:
    """Replace the text of one of the user's saved comments. Grades that used them keep the old words.

    Raises Refused (code "same_comment") where another one of the person's reads like this.
    """
    _require_own(actor, comment)
    text = checked_comment(text)
    if actor.saved_comments.filter(text=text).exclude(pk=comment.pk).exists():
        raise Refused("You have already saved this comment.", code="same_comment", field="text")
    comment.text, comment.changed_at = text, timezone.now()
    comment.save(update_fields=["text", "changed_at"])
    record(actor=actor, verb="change_comment", target=comment)
    return comment


@transaction.atomic
def delete_comment(*, actor: User, comment: SavedComment) -> None:
    """Delete one of the user's saved comments."""
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
        raise Refused("The comment contains a NUL character.", code="bad_comment", field="text")
    return text


def _require_own(actor: User, comment: SavedComment) -> None:
    if comment.user_id != actor.pk:
        raise NotAllowed("This comment belongs to someone else.")
