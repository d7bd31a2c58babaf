"""What a judge must answer, and the strict reading of what it did answer. Nothing is ever guessed."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from llm.strict_json import NotJson, fault_of_reply, loads

LABELS = ("yes", "no", "uncertain")
PARSER = "1"  # raise it with every change of what parse_reply reads: kept replies can then be read again
_FENCE = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*)\n```", re.DOTALL)
_MAX_CHARS = 200_000

REPLY_FIELDS: dict[str, dict[str, object]] = {
    "label": {"type": "string", "enum": list(LABELS)},
    "reason": {"type": "string", "description": "Short: the decisive point, in one to three sentences."},
    "confidence": {"type": ["number", "null"], "description": "Between 0 and 1, or null."},
    "evidence": {"type": "string", "description": "The words of the data that decide, quoted; may be empty."},
}


class Reply(BaseModel):
    """A judge's answer. `confidence` is in [0, 1] or None; `evidence` is a quotation or None."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    label: str
    reason: str = Field(min_length=1, max_length=20_000)
    confidence: float | None = Field(ge=0, le=1, allow_inf_nan=False)
    evidence: str | None = Field(default=None, max_length=100_000)
    steps: Mapping[str, str] = Field(default_factory=dict)

    @field_validator("label")
    @classmethod
    def _is_an_allowed_label(cls, value: str, info: ValidationInfo) -> str:
        allowed = (info.context or {}).get("labels", LABELS)
        if value not in allowed:
            raise ValueError(f"is not one of {', '.join(allowed)}")
        return value

    @field_validator("reason", "evidence")
    @classmethod
    def _can_be_stored(cls, value: str | None) -> str | None:
        if value is not None and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
            raise ValueError("contains a character that is not text")
        return value

    @field_validator("reason")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("is blank")
        return value


@dataclass(frozen=True)
class Unparsed:
    """A reply that is not an answer; `reason` says why, in words that hold nothing of the reply."""

    reason: str


NO_REASON = "The prompt asks for no reason."


@dataclass(frozen=True)
class ReplyFormat:
    """The JSON object for which a prompt asks in words of its own.

    `label` is the key of the verdict, and `values` says what its values mean, each as JSON text: {"true": "yes"}.
    `reason` and `confidence` are keys too, "" where the prompt asks for none. `other` keys may occur and are not read.
    """

    label: str
    values: Mapping[str, str]
    reason: str = ""
    confidence: str = ""
    other: tuple[str, ...] = ()

    def translated(self, document: Any) -> Any:
        """The document with our keys and labels. Raises ValueError naming what does not fit, without its value."""
        if not isinstance(document, dict):
            raise ValueError("reply: is not an object")
        needed = [key for key in (self.label, self.reason, self.confidence) if key]
        if missing := [key for key in needed if key not in document]:
            raise ValueError(f"{missing[0]}: Field required")
        if len(set(document) - {*needed, *self.other}):
            raise ValueError("reply: has a key that its prompt does not ask for")
        label = self.values.get(json.dumps(document[self.label], ensure_ascii=False))
        if label is None:
            raise ValueError(f"{self.label}: is not one of {', '.join(self.values)}")
        return {
            "label": label,
            "reason": document[self.reason] if self.reason else NO_REASON,
            "confidence": document[self.confidence] if self.confidence else None,
        }


@dataclass(frozen=True)
class AskedSteps:
    """The steps of a text for which a prompt asks one label each: `texts` are (id, text), in their order."""

    labels: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]

    @property
    def ids(self) -> list[str]:
        return [name for name, _ in self.texts]

    @property
    def schema(self) -> dict[str, object]:
        """JSON schema of the object with exactly one label for each step."""
        label = {"type": "string", "enum": list(self.labels)}
        return {
            "type": "object",
            "properties": dict.fromkeys(self.ids, label),
            "required": self.ids,
            "additionalProperties": False,
        }

    def read(self, said: Any) -> dict[str, str]:
        """Step to label. Raises ValueError that names the fault, and nothing but our own ids."""
        if not isinstance(said, dict):
            raise ValueError("steps: is not an object")
        if missing := [name for name in self.ids if name not in said]:
            raise ValueError(f"steps: has no label for {missing[0]}")
        if len(said) > len(self.texts):
            raise ValueError("steps: has a step that was not asked about")
        for name in self.ids:
            if said[name] not in self.labels:
                raise ValueError(f"steps: {name}: is not one of {', '.join(self.labels)}")
        return {name: said[name] for name in self.ids}


def parse_reply(
    text: str,
    labels: Sequence[str] = LABELS,
    own: ReplyFormat | None = None,
    steps: AskedSteps | None = None,
) -> Reply | Unparsed:
    """Reads exactly one JSON object of the reply's shape, or of the prompt's `own`; one code fence around the whole is
    allowed.

    Prose before or after, several objects, repeated or unknown or missing keys, a label outside `labels`
    (in exactly these letters), a confidence outside [0, 1]: all give Unparsed. So does, if `steps` are asked about,
    anything but exactly one label for each of them.
    """
    if len(text) > _MAX_CHARS:
        return Unparsed(f"longer than {_MAX_CHARS} characters")
    stripped = text.strip()
    fenced = _FENCE.fullmatch(stripped)
    try:
        document = loads(fenced["inside"] if fenced else stripped)
    except NotJson as error:
        return Unparsed(fault_of_reply(error))
    try:
        document = own.translated(document) if own else document
        if steps is not None and isinstance(document, dict):
            document = {**document, "steps": steps.read(document.get("steps"))}
        elif isinstance(document, dict) and "steps" in document:
            raise ValueError("steps: Extra inputs are not permitted")
    except ValueError as error:
        return Unparsed(str(error))
    try:
        return Reply.model_validate(document, context={"labels": tuple(labels)})
    except ValidationError as error:
        return Unparsed(fault_of_reply(error))


def response_format(
    fields: tuple[str, ...],
    name: str = "verdict",
    labels: Sequence[str] = LABELS,
    steps: AskedSteps | None = None,
) -> dict[str, object]:
    """The `response_format` of a request that asks for exactly these fields (keys of REPLY_FIELDS), and `steps`."""
    properties = {field: REPLY_FIELDS[field] for field in fields}
    if "label" in properties:
        properties["label"] = {**properties["label"], "enum": list(labels)}
    if steps is not None:
        properties["steps"] = steps.schema
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
