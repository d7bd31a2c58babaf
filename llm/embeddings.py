"""Models that turn texts into vectors: as the deployment declares them, and the border of their protocol.

    {"qwen": {"endpoint": "lab", "model": "Qwen/Qwen3-Embedding-8B", "revision": "1d8ad4c", "dimensions": 4096,
              "query_instruction": "Instruct: Given a math search query, ...\\nQuery: "}}

or the same in TOML. `endpoint` is one of the declared endpoints; its server answers POST <base_url>/embeddings.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from llm.completion import Circumstances
from llm.endpoint import Endpoint, EndpointError
from llm.errors import Malformed
from llm.strict_json import NotJson, first_objection, loads


@dataclass(frozen=True)
class EmbeddingModel:
    """A model behind an endpoint. The instructions come before the text of a query and of a statement.

    `revision` is what makes two builds comparable: it changes when the weights behind a name do.
    A request has at most `batch` texts, each cut to what `max_tokens` surely hold.
    """

    name: str
    endpoint: Endpoint
    model: str
    revision: str
    dimensions: int
    query_instruction: str = ""
    statement_instruction: str = ""
    max_tokens: int = 512
    batch: int = 32


class _Declaration(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    endpoint: str
    model: str = Field(min_length=1, max_length=200)
    revision: str = Field(min_length=1, max_length=100)
    dimensions: int = Field(ge=8, le=16_384)
    query_instruction: str = Field(default="", max_length=2_000)
    statement_instruction: str = Field(default="", max_length=2_000)
    max_tokens: int = Field(default=512, ge=32, le=100_000)
    batch: int = Field(default=32, ge=1, le=1_000)


class _Row(BaseModel):
    model_config = ConfigDict(strict=True)

    index: int = Field(ge=0)
    embedding: list[float]


class _Reply(BaseModel):
    data: list[_Row]


def parse_embedding_models(
    source: str | Mapping[str, Any], endpoints: Mapping[str, Endpoint]
) -> dict[str, EmbeddingModel]:
    """The declared models by name; an empty or blank string declares none. Raises EndpointError."""
    declared = source
    if isinstance(declared, str):
        try:
            declared = dict(loads(declared)) if declared.strip().startswith("{") else tomllib.loads(declared)
        except (NotJson, tomllib.TOMLDecodeError) as error:
            raise EndpointError("the models are neither a JSON object nor TOML") from error
    found = {}
    for name, settings in declared.items():
        if not isinstance(settings, Mapping):
            raise EndpointError(f"model {name}: expected a table of settings")
        try:
            said = _Declaration.model_validate(dict(settings)).model_dump()
        except ValidationError as error:
            raise EndpointError(f"model {name}: {first_objection(error)}") from None
        if said["endpoint"] not in endpoints:
            raise EndpointError(f"model {name}: there is no endpoint {said['endpoint']!r}")
        found[name] = EmbeddingModel(name=name, **said | {"endpoint": endpoints[said["endpoint"]]})
    return found


def embeddings_request(texts: Sequence[str], model: str) -> dict[str, object]:
    """The body of a request for the vectors of some texts."""
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def read_embeddings(reply: Any, told: Circumstances) -> list[list[float]]:
    """The vectors in the order of the texts. Raises Malformed unless each text has one, and all have one length.

    A vector of zeros is refused too: all statements would be equally near to it, and be listed by their keys.
    """
    texts = len(told.request["input"])
    try:
        rows = _Reply.model_validate(reply).data
    except ValidationError as error:
        reason = f"not a list of vectors: {first_objection(error, whole='reply')}"
        raise _malformed(reason, told) from error
    if sorted(row.index for row in rows) != list(range(texts)):
        raise _malformed(f"{len(rows)} vectors for {texts} texts, or one of them twice", told)
    lengths = {len(row.embedding) for row in rows}
    if len(lengths) > 1:
        raise _malformed("the vectors differ in length", told)
    if not all(0 < sum(number * number for number in row.embedding) < math.inf for row in rows):
        raise _malformed("a vector has no direction: only zeros, or a number that is none or too large", told)
    return [row.embedding for row in sorted(rows, key=lambda row: row.index)]


def _malformed(reason: str, told: Circumstances) -> Malformed:
    return Malformed(reason, attempts=told.attempts, unanswered=told.unanswered + 1, latency=told.latency)
