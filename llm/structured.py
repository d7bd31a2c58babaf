"""Prompts whose reply is one JSON object of a shape that the caller gives.

A prompt is a file NAME.vN.md with the words that are sent, unchanged, as the system message. The data follow behind the
usual fences, and the reply's JSON schema behind the words.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from llm.prompts import FRAMING, PromptError, RenderedPrompt, framed

_FILE_NAME = re.compile(r"[a-z0-9-]+\.v[1-9][0-9]*\.md")
_STRICT = frozenset({"$ref", "anyOf", "const", "description", "enum", "items", "type"})
# A model that writes \nabla with one backslash has said a line feed and "abla", which no reader can tell from JSON.
_RULE = (
    "Reply with one JSON object and nothing else; in its strings, a backslash of LaTeX is written twice. "
    "It follows this JSON schema:\n{schema}"
)
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True)
class StructuredPrompt(Generic[Shape]):
    """One version of a prompt; `sha256` is that of its file and of the rule for the reply, which is sent with it."""

    label: str
    words: str
    reply: type[Shape]
    sha256: str

    @property
    def response_format(self) -> dict[str, object]:
        """What to ask of an endpoint with structured output."""
        name = self.reply.__name__.lower()
        schema = {"name": name, "strict": True, "schema": strict_schema(_document(self.reply))}
        return {"type": "json_schema", "json_schema": schema}

    def render(self, fields: Mapping[str, str], nonce: str) -> RenderedPrompt:
        """The messages, each field framed as data."""
        rule = _RULE.format(schema=_schema(self.reply))
        data = "\n\n".join(framed(name, text, nonce) for name, text in fields.items())
        return RenderedPrompt(f"{self.words}\n\n{rule}\n\n{FRAMING.format(nonce=nonce)}", data)


def structured_prompt(path: Path, reply: type[Shape]) -> StructuredPrompt[Shape]:
    """The prompt in a file. Raises PromptError for another name or none in UTF-8, and OSError."""
    if not _FILE_NAME.fullmatch(path.name):
        raise PromptError(f"{path.name}: a prompt file is called NAME.vN.md")
    content = path.read_bytes()
    try:
        words = content.decode().strip()
    except UnicodeDecodeError as error:
        raise PromptError(f"{path.name}: not UTF-8 at byte {error.start}") from error
    rule = _RULE.format(schema=_schema(reply))
    digest = hashlib.sha256(content + b"\0" + rule.encode()).hexdigest()
    return StructuredPrompt(path.stem, words, reply, digest)


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The shape that a schema describes, as providers take it with `strict`: all keys required, none besides.

    They refuse a request with an optional key, with a default, or with words next to a reference, and differ in which
    bounds they know. Bounds are checked when the reply is read.
    """
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    strict = {key: value for key, value in schema.items() if key in _STRICT}
    if "anyOf" in strict:
        strict["anyOf"] = [strict_schema(one) for one in strict["anyOf"]]
    if "items" in strict:
        strict["items"] = strict_schema(strict["items"])
    for key in ("$defs", "properties"):
        if key in schema:
            strict[key] = {name: strict_schema(one) for name, one in schema[key].items()}
    if strict.get("type") == "object":
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


@cache
def _schema(reply: type[BaseModel]) -> str:
    return json.dumps(_document(reply), sort_keys=True, ensure_ascii=False)


@cache  # without it pydantic would take longer over each question than everything else that a worker does
def _document(reply: type[BaseModel]) -> dict[str, object]:
    return reply.model_json_schema()
