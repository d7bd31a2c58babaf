"""Rendered texts, stored by the hash of format and text. A request reads them and never renders.

A text that is not stored yet is noted as waiting and a worker is called; until it has come the page shows the source.
What an older renderer made is shown until it is renewed (manage.py render_documents --renew), so that blocks
keep their ids while people grade. The rows may be deleted: they are made again.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, cast

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

import latex
from benchmark.models import RenderedDocument, TextFormat

logger = logging.getLogger(__name__)
TASK = "benchmark.render"
# Stands for the prefix of ids in what is stored. Rendering leaves no such character of an author's in its HTML.
PREFIX = "\ue020"
Text = tuple[str, str] | tuple[str, str, str]


@dataclass(frozen=True)
class Rendered:
    """A text as blocks of safe HTML, and the report of its formulas (formulas, failures, notes). While no worker has
    rendered it there are no blocks, and `waiting` is its source."""

    blocks: tuple[latex.Block, ...]
    report: Mapping[str, Any]
    waiting: str = ""

    @property
    def shown(self) -> tuple[latex.Block, ...]:
        """The blocks, or in their place one that shows the source and says why. Nothing can be anchored to it."""
        if not self.waiting:
            return self.blocks
        html = (
            '<p class="note">This text is being prepared for reading. Reload the page in a moment.</p>'
            f'<pre class="verbatim"><code>{escape(self.waiting, quote=False)}</code></pre>'
        )
        return (latex.Block("", "source", html, 0, len(self.waiting), text=self.waiting),)


def rendered(text: str, text_format: str = "latex", prefix: str = "") -> Rendered:
    """The rendered text, or its source while it waits.

    `prefix` goes in front of every element id, for pages with several documents.
    """
    return rendered_all([(text, text_format, prefix)])[0]


def rendered_all(texts: Sequence[Text]) -> list[Rendered]:
    """(text, format) or (text, format, prefix) rendered, in order, with one query where all of them are stored.

    Raises ValueError for an unknown format.
    """
    keys = [cache_key(*wanted[:2]) for wanted in texts]
    rows = stored(keys)
    missing = {key: wanted for key, wanted in zip(keys, texts, strict=True) if key not in rows}
    if missing:
        ask_for(missing.values())
        rows = stored(keys)
    found = []
    for key, wanted in zip(keys, texts, strict=True):
        row, text, prefix = rows.get(key), wanted[0], wanted[2] if len(wanted) == 3 else ""
        if row is None or not row.version:
            found.append(Rendered((), {"formulas": 0, "failures": [], "notes": []}, waiting=text))
            continue
        found.append(Rendered(tuple(_blocks(row, text, prefix)), row.report))
    return found


def _blocks(row: RenderedDocument, text: str, prefix: str) -> Iterator[latex.Block]:
    for values in row.blocks:
        changed = {
            "id": values["id"].replace(PREFIX, prefix),
            "html": values["html"].replace(PREFIX, prefix),
            "within": tuple(values["within"]),
            "text": text,
        }
        yield latex.Block(**values | changed)


def stored_blocks(texts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[latex.Block, ...]]:
    """The blocks of those (text, format) for which this version of the renderer was there, with one query; asks for
    nothing."""
    keys = {wanted: cache_key(*wanted) for wanted in texts}
    rows = {key: row for key, row in stored(keys.values()).items() if row.version == latex.RENDER_VERSION}
    return {wanted: tuple(_blocks(rows[key], wanted[0], "")) for wanted, key in keys.items() if key in rows}


def stored(keys: Iterable[str]) -> dict[str, RenderedDocument]:
    """The stored rows of these keys, those that wait included."""
    return {row.sha256: row for row in RenderedDocument.objects.filter(sha256__in=set(keys))}


def cache_key(text: str, text_format: str) -> str:
    """The name of a text to be rendered. Raises ValueError for an unknown format."""
    if text_format not in TextFormat.values:
        raise ValueError(f"{text_format!r} is not a text format")
    return hashlib.sha256("\0".join((text_format, text)).encode("utf-8", "surrogatepass")).hexdigest()


def ask_for(texts: Iterable[Text]) -> None:
    """Note that these texts wait to be rendered, those that are not stored, and call a worker after the commit."""
    rows = [
        RenderedDocument(sha256=cache_key(*wanted[:2]), text=wanted[0], text_format=wanted[1])
        for wanted in texts
    ]
    RenderedDocument.objects.bulk_create(rows, ignore_conflicts=True, batch_size=200)
    call_worker()


def call_worker(task: str = TASK, *arguments: int) -> None:
    """Tell a worker after the commit that something is waiting; never raises for a broker that is away.

    What waits in the database is found by beat's next run; a scan waits for the next one that is asked for.
    """

    def ring() -> None:
        try:
            current_app.send_task(task, arguments, retry=False)
        except (OperationalError, OSError) as error:
            logger.warning("the broker is away, no worker was told of %s: %s", task, error)

    transaction.on_commit(ring)


def render_into(row: RenderedDocument) -> None:
    """Render the text of a row, which is not saved. For a worker or a command: it may take seconds."""
    document = latex.render_checked(row.text, cast(Any, row.text_format), prefix=PREFIX)
    row.version = latex.RENDER_VERSION
    row.rendered_at = timezone.now()
    row.blocks = [asdict(block) for block in document.blocks]
    for values in row.blocks:
        del values["text"]  # the source, which the row holds once for all of them
    row.report = document.report.as_json()
