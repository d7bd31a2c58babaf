"""What a scan says: kind, place in the source, the words, and how sure it is."""

from dataclasses import dataclass
from enum import StrEnum

EXCERPT = 160


class Kind(StrEnum):
    """Why a passage may reveal its author."""

    NAME = "name"  # a model, a maker or a system of this release is named
    SELF = "self"  # the text speaks of itself as a model
    TRANSCRIPT = "transcript"  # remains of a conversation or of a model's template
    REFUSAL = "refusal"  # a refusal or an error message in place of an answer
    HIDDEN = "hidden"  # something that a reader of the page would not see
    METADATA = "metadata"  # an author's field with something in it
    SHOWN = "shown"  # the page says it, though the source does not in one piece


@dataclass(frozen=True)
class Finding:
    """A passage source[start:end].

    `certain` findings hide an output from blinded people until a coordinator decides; the others are only shown to the
    person deciding.
    """

    kind: Kind
    start: int
    end: int
    evidence: str
    certain: bool
