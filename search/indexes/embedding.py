"""Models of meaning: which there are, the vectors of statements, and that of a query. Nothing falls back in silence."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.conf import settings

from accounts.refusal import Refused
from canonical import sha256_of
from llm import AddressRefused, CallFailed, Client, EmbeddingModel, EndpointError, parse_embedding_models
from retrieval import local, words
from retrieval.index import Entry
from retrieval.index import Index as OpenIndex
from retrieval.recipes import FORMULA, NAMED, WORDS, Model, Recipe
from retrieval.vectors import quantised
from search.indexes.kept import KeptVectors
from work.endpoints import declared_endpoints

logger = logging.getLogger(__name__)
Embed = Callable[[Sequence[str]], Any]
_OF_WORDS = {"words", "formula"}
_AT_ONCE = 64  # texts between two writes to the kept vectors, of the model on this machine
_REQUESTS_AT_ONCE = 8
_SECONDS_FOR_A_QUERY = 2.0
_SECONDS_WITHOUT_ASKING = 30.0  # after an endpoint did not answer, so that not every search waits for it
_CHARACTERS_OF_A_TOKEN = 3  # fewer than a token of English has, so that a text cut by them is short enough


class NoVectorNow(Refused):
    """The endpoint of an index's model did not give the vector of a query; it may do so later."""


_not_asked_before: dict[str, float] = {}


def recipe_named(name: str, model_name: str) -> Recipe:
    """The recipe; if it ranks by meaning, with the declared model of this name, or the one on this machine.

    Raises Refused.
    """
    if name not in NAMED:
        known = ", ".join(NAMED)
        raise Refused(f"There is no recipe {name!r}. Recipes: {known}.", code="no_recipe", field="recipe")
    if name in _OF_WORDS:
        if model_name:
            raise Refused(f"The recipe {name} needs no model.", code="no_model", field="model")
        return NAMED[name]
    if not model_name:
        model()
        return replace(NAMED[name], model=local.MODEL)
    declared = declared_models()
    if model_name not in declared:
        known = ", ".join(declared) or "none"
        reason = f"There is no model {model_name!r}. Models of TOUCHSTONE_EMBEDDING_MODELS: {known}."
        raise Refused(reason, code="no_model", field="model")
    return replace(NAMED[name], model=as_model(declared[model_name]))


def declared_models() -> dict[str, EmbeddingModel]:
    """The models behind endpoints by name. Raises Refused when the declaration does not parse."""
    try:
        endpoints = declared_endpoints(settings.JUDGE_ENDPOINTS)
        return parse_embedding_models(settings.EMBEDDING_MODELS, endpoints)
    except EndpointError as error:
        raise Refused(f"TOUCHSTONE_EMBEDDING_MODELS: {error}", code="bad_models") from error


def as_model(declared: EmbeddingModel) -> Model:
    """A declared model as a manifest names it. Its weights are not here, so its id and revision are hashed instead."""
    named = {name: getattr(declared, name) for name in ("model", "revision", "dimensions")}
    return Model(
        f"{declared.model}@{declared.revision}",
        sha256_of(named),
        declared.dimensions,
        declared.query_instruction,
        declared.statement_instruction,
        declared.max_tokens,
    )


@lru_cache(maxsize=1)
def model() -> local.MiniLM:
    """The model on this machine, read once. Raises Refused where it is not installed."""
    try:
        return local.opened()
    except local.NotInstalled as error:
        reason = f"This recipe ranks by meaning, and its model is missing. {error}. Or use the recipe words."
        raise Refused(reason, code="no_model", field="recipe") from error


def query_vector(engine: OpenIndex, text: str, mode: str) -> bytes | None:
    """The vector of a query in the index's model; None if the index, or the mode, does not need one.

    Raises NoVectorNow where an endpoint does not answer, and Refused where the model is not known here.
    """
    known = engine.manifest.recipe.model
    if known is None or mode in (WORDS, FORMULA):
        return None
    declared = _declared(known)
    if declared is not None:
        return _of_query(
            known, replace(declared, query_instruction=known.query_instruction), words.plain(text)
        )
    if known.digest != local.MODEL.digest:
        raise Refused(
            f"This index was built with the model {known.name}, which is neither on this machine nor declared.",
            code="no_model",
        )
    asked = model()
    return quantised(asked([words.plain(known.query_instruction + text)]), known.dimensions).tobytes()


def vectors_of(entries: Iterable[Entry], known: Model) -> dict[str, bytes]:
    """The vector of each statement by key. A text whose vector was computed before is not computed again, even if
    that build failed. Raises Refused, with what to do, if an endpoint fails."""
    declared = _declared(known)
    embed, at_once = _embedder(declared) if declared is not None else (model(), _AT_ONCE)
    texts = {entry.key: known.statement_instruction + entry.text_for_meaning() for entry in entries}
    if declared is not None:
        texts = {key: text[: _CHARACTERS_OF_A_TOKEN * known.max_tokens] for key, text in texts.items()}
    with KeptVectors(settings.INDEX_DIR / "vectors", known) as kept:
        missing = sorted({text for text in texts.values() if text not in kept})
        for start in range(0, len(missing), at_once):
            part = missing[start : start + at_once]
            try:
                kept.add(part, quantised(embed(part), known.dimensions))
            except (CallFailed, AddressRefused, ValueError) as error:
                reason = (
                    f"The model {known.name} did not give the vectors of {len(missing) - start} of {len(texts)} "
                    f"statements: {error}. The index before this one stays in use. Build it again when the endpoint "
                    "answers; the vectors that are there are kept."
                )
                raise Refused(reason, code="no_vectors_made") from error
        return {key: kept[text] for key, text in texts.items()}


def _declared(known: Model) -> EmbeddingModel | None:
    """The declared model with this digest."""
    found = (one for one in declared_models().values() if as_model(one).digest == known.digest)
    return next(found, None)


def _embedder(declared: EmbeddingModel) -> tuple[Embed, int]:
    """What asks the endpoint for the vectors of texts, and for how many at once."""

    async def ask(texts: Sequence[str]) -> list[list[float]]:
        async with Client(declared.endpoint) as client:
            batches = [texts[at : at + declared.batch] for at in range(0, len(texts), declared.batch)]
            found = await asyncio.gather(*(client.embed(batch, model=declared.model) for batch in batches))
        return [vector for vectors in found for vector in vectors]

    return lambda texts: asyncio.run(ask(texts)), declared.batch * _REQUESTS_AT_ONCE


@lru_cache(maxsize=1_000)
def _of_query(known: Model, declared: EmbeddingModel, text: str) -> bytes:
    """The vector of a query; asked for once, because models give slightly different ones at other times."""
    if time.monotonic() < _not_asked_before.get(known.digest, 0.0):
        raise NoVectorNow(f"the model {known.name} does not answer.", code="no_vector_now")
    text = declared.query_instruction + text
    patient = min(_SECONDS_FOR_A_QUERY, declared.endpoint.timeout)
    quick = replace(declared, endpoint=replace(declared.endpoint, timeout=patient, max_attempts=1))
    try:
        rows = _embedder(quick)[0]([text[: _CHARACTERS_OF_A_TOKEN * known.max_tokens]])
        return quantised(rows, known.dimensions).tobytes()
    except (CallFailed, AddressRefused, ValueError) as error:
        _not_asked_before[known.digest] = time.monotonic() + _SECONDS_WITHOUT_ASKING
        logger.warning(
            "model %s gave no vector of a query: %s", known.name, error
        )  # readers need not know why
        raise NoVectorNow(f"the model {known.name} does not answer.", code="no_vector_now") from error
