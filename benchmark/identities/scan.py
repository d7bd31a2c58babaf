"""The identity scan of a source: source in, findings out. Pure and linear; known misses are acrostics and style.

What only the page says is in `benchmark.identities.shown`.
"""

from collections.abc import Iterable
from functools import lru_cache

from benchmark.identities import naming
from benchmark.identities.concealed import concealed, named_commands
from benchmark.identities.findings import Finding
from benchmark.identities.phrases import phrases, templates
from latex.folding import read

VERSION = naming.version()
SHORT = 300  # characters: fields like papers and statements, which the outputs of a run repeat


def scan(
    source: str, text_format: str, systems: Iterable[str] = (), words: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """What in `source` (latex, markdown or plain) reveals who wrote it, in the order of the source.

    `systems`: names of the release's own systems, which count as names too; `words`: what its staff added, certain
    wherever it occurs. Of two findings in one place the certain one is kept.
    """
    asked = source, text_format, tuple(systems), tuple(words)
    return _scan_short(*asked) if len(source) <= SHORT else _scan(*asked)


def _scan(source: str, text_format: str, own: tuple[str, ...], added: tuple[str, ...]) -> tuple[Finding, ...]:
    def tells(text: str) -> bool:
        plain = read(text, "plain")
        return any(found.certain for found in (*naming.named(plain, own, added), *phrases(plain)))

    def names(text: str) -> bool:  # without `added`: a word such as "Delta" is also a command
        return any(found.certain for found in naming.named(read(text, "plain"), own))

    reading = read(source, text_format)
    found = [
        *concealed(source, text_format, tells),
        *named_commands(source, text_format, names),
        *naming.named(reading, own, added),
        *phrases(reading),
        *templates(source),
    ]
    kept: list[Finding] = []
    for one in sorted(found, key=lambda one: (not one.certain, one.start, -one.end)):
        if not any(other.start <= one.start and one.end <= other.end for other in kept[-50:]):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: (one.start, one.end)))


_scan_short = lru_cache(maxsize=5_000)(_scan)
