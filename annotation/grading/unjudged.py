"""Cannot be judged: the reasons, and the label state that follows from each. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices

MAX_NOTE = 2000


class UnjudgedReason(TextChoices):
    """Why nobody could judge the item, as far as its reviewer can say."""

    NOTHING = "nothing", "There is nothing here that could be judged"
    UNREADABLE = "unreadable", "The text cannot be read as it is shown"
    MATERIAL = "material", "What one needs to judge it is missing or out of reach"
    STATEMENT = "statement", "The statement is too unclear to say what would be right"
    OTHER = "other", "Something else"


@dataclass(frozen=True)
class CheckedReason:
    """Why an item cannot be judged. `note` is needed where the reason is another one than those listed."""

    reason: str
    note: str = ""

    @property
    def state(self) -> str:
        """abstain where there was nothing that could be judged, otherwise unavailable.

        An output without anything in it is the system's doing and counts against it. A text that cannot be read
        or material that is missing is not: such a label leaves the denominator and is counted.
        """
        return "abstain" if self.reason == UnjudgedReason.NOTHING else "unavailable"

    @property
    def words(self) -> str:
        """The reason as a comment of every answer, so that exports carry it."""
        words = str(UnjudgedReason(self.reason).label)
        return f"{words}: {self.note}" if self.note else words


def checked_reason(sent: Mapping[str, Any], problems: dict[str, str]) -> CheckedReason | None:
    """The reason in `sent` ({reason, note}); None where there is none, or a bad one, said in `problems`."""
    reason, note = str(sent.get("reason") or ""), str(sent.get("note") or "").strip()
    if not reason:
        return None
    if reason not in UnjudgedReason.values:
        problems["unjudged"] = f"There is no reason {reason!r}."
        return None
    if reason == UnjudgedReason.OTHER and not note:
        problems["unjudged"] = "Say in a few words why this cannot be judged."
    elif len(note) > MAX_NOTE:
        problems["unjudged"] = f"Say why this cannot be judged in at most {MAX_NOTE} characters."
    return CheckedReason(reason, note)
