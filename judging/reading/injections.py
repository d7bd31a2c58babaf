"""Which outputs of a run try to address their judge. A flag is for the coordinator and changes no verdict."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Q

from benchmark.models import Output
from benchmark.releases.queries import shown_content
from canonical import strings_of
from judging.models import JudgeRun, JudgeTask
from llm import Flag, find_injections
from llm.injections import SIGNS

_KEPT_SECONDS = 7 * 24 * 3600
_BATCH = 500
_RULES = hashlib.sha256(repr(SIGNS).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Flagged:
    """An output with the signs in it, at least one."""

    output: Output
    flags: tuple[Flag, ...]


def flagged_outputs(run: JudgeRun) -> list[Flagged]:
    """The outputs that the run asks about, alone or in a pair, with signs of an injection.

    By instance and attempt. What was read once is kept in the cache by content, so that the next look costs no reading.
    """
    asked = JudgeTask.objects.filter(run=run)
    outputs = (
        Output.objects.filter(Q(pk__in=asked.values("output")) | Q(pk__in=asked.values("second")))
        .select_related("instance", "redacted")
        .order_by("instance__key", "attempt", "id")
    )
    found: list[Flagged] = []
    batch: list[Output] = []
    for output in outputs.iterator(chunk_size=_BATCH):
        batch.append(output)
        if len(batch) == _BATCH:
            found += _flagged(batch)
            batch = []
    return found + list(_flagged(batch))


def output_flags(output: Output) -> tuple[Flag, ...]:
    """The signs in what a judge reads of one output: its text, and every text of its payload."""
    payload, text = shown_content(output)
    return find_injections("\n\n".join([text, *strings_of(payload)]))


def _flagged(batch: list[Output]) -> Iterator[Flagged]:
    keys: dict[int, str] = {}
    for output in batch:
        payload, text = shown_content(output)
        content = hashlib.sha256(repr((text, list(strings_of(payload)))).encode("utf-8", "surrogatepass"))
        keys[output.pk] = f"injections:{_RULES}:{content.hexdigest()}"
    known: dict[str, list[tuple[str, str]]] = cache.get_many(keys.values())
    new = {}
    for output in batch:
        key = keys[output.pk]
        if key not in known:
            known[key] = new[key] = [(flag.kind, flag.excerpt) for flag in output_flags(output)]
        if known[key]:
            yield Flagged(output, tuple(Flag(kind, excerpt) for kind, excerpt in known[key]))
    if new:
        cache.set_many(new, _KEPT_SECONDS)
