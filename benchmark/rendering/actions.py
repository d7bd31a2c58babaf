"""Rendering, away from every request: waiting texts, given texts, and what an older renderer made."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

import latex
from benchmark.models import RenderedDocument
from benchmark.rendering.stored import (
    Rendered,
    Text,
    cache_key,
    call_worker,
    render_into,
    rendered_all,
    stored,
)

LEASE = timedelta(minutes=2)  # many times as long as one document takes
MAX_TRIES = 3  # a text whose rendering ended its worker so often is shown as plain text
_FIELDS = ("version", "rendered_at", "blocks", "report", "text_format", "leased_until")


def render_waiting() -> int:
    """Render every text that waits, oldest first; returns how many. Several workers may do this at once."""
    done = 0
    while (row := _leased(RenderedDocument.objects.filter(version=""), timezone.now())) is not None:
        _render(row)
        done += 1
    return done


def reconcile_rendering() -> None:
    """Call a worker if a text waits that no worker holds."""
    if _free(RenderedDocument.objects.filter(version=""), timezone.now()).exists():
        call_worker()


def renew() -> int:
    """Render again what an older renderer made; it is shown until the new one is stored. Returns how many."""
    done = 0
    while True:
        older = RenderedDocument.objects.exclude(version__in=("", latex.RENDER_VERSION))
        row = _leased(older, timezone.now())
        if row is None:
            return done
        row.tries = 0
        _render(row)
        done += 1


def render_now(texts: Iterable[Text]) -> list[Rendered]:
    """The texts rendered, those that are missing by this process. For commands and workers, not for requests."""
    wanted = list(texts)
    keys = [cache_key(*text[:2]) for text in wanted]
    rows = stored(keys)
    fresh: dict[str, RenderedDocument] = {}
    for key, text in zip(keys, wanted, strict=True):
        row = rows.get(key)
        if key not in fresh and (row is None or not row.version):
            fresh[key] = RenderedDocument(sha256=key, text=text[0], text_format=text[1])
            render_into(fresh[key])
    RenderedDocument.objects.bulk_create(
        fresh.values(),
        update_conflicts=True,
        unique_fields=["sha256"],
        update_fields=["version", "rendered_at", "blocks", "report"],
    )
    return rendered_all(wanted)


def _free(rows: QuerySet[RenderedDocument], now: datetime) -> QuerySet[RenderedDocument]:
    ahead = Q(leased_until__gt=now + 2 * LEASE)  # of before the clock was set back
    return rows.filter(Q(leased_until=None) | Q(leased_until__lt=now) | ahead)


def _leased(rows: QuerySet[RenderedDocument], now: datetime) -> RenderedDocument | None:
    """The first row that no worker holds, now held by this one."""
    free = _free(rows, now)
    while (pk := free.order_by("pk").values_list("pk", flat=True).first()) is not None:
        if free.filter(pk=pk).update(leased_until=now + LEASE, tries=F("tries") + 1):
            return RenderedDocument.objects.get(pk=pk)
    return None


def _render(row: RenderedDocument) -> None:
    if row.tries > MAX_TRIES:
        row.text_format = "plain"  # of the row, whose name remains that of the text as it was asked for
    render_into(row)
    row.leased_until = None
    RenderedDocument.objects.filter(pk=row.pk).update(**{name: getattr(row, name) for name in _FIELDS})
