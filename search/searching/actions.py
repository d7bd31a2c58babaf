"""The verbs of searching: search, say whether a result is relevant, forget old searches."""

import time
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F
from django.db.models.functions import TruncDate
from django.utils import timezone

from accounts.access import is_study_staff
from accounts.database.sight import identities_readable
from accounts.models import User
from accounts.refusal import Refused
from retrieval.duplicates import KINDS, Read, likeness
from retrieval.index import Hit, Mask, NoVectors
from retrieval.index import Index as OpenIndex
from retrieval.local import MODEL
from retrieval.recipes import FORMULA, HYBRID, WORDS
from search.corpora.queries import in_order
from search.indexes.embedding import NoVectorNow, query_vector
from search.indexes.opened import index_of
from search.models import Corpus, Feedback, Index, Query, SearchesOfADay, Statement
from search.searching.hidden import searched_by, statements_for
from search.searching.request import DEFAULT_K, MAX_QUERY, Asked
from search.searching.results import Result, results_of

KEPT = timedelta(days=30)
CANDIDATES = 50  # statements that are compared with one
COMPARED = 6_000  # characters of each of them


@dataclass(frozen=True)
class Found:
    """What a search found, in which index, and among how many statements it looked."""

    query: int
    index: Index
    asked: Asked
    took_ms: int
    considered: int
    results: list[Result]
    emptying: tuple[tuple[str, int], ...] = ()
    words_only: str = ""
    """Why this query was ranked without meaning although the index has it; empty if it was not."""

    @property
    def ranks_meaning(self) -> bool:
        """Whether statements were ranked by meaning too."""
        return bool(self.index.recipe.get("model")) and not self.words_only

    @property
    def sent_to(self) -> str:
        """The model behind an endpoint that reads queries of this index; empty if none leaves this server."""
        model = self.index.recipe.get("model")
        return "" if model is None or model["digest"] == MODEL.digest else str(model["name"])


def search(*, user: Any, corpus: Corpus, asked: Asked, purpose: str) -> Found:
    """Search the corpus's newest index and keep the query for 30 days.

    If the model of meaning does not answer, a search that asks for all rankings is made by words, or by its formula,
    and `words_only` says so.

    For a reviewer the search is made as if what is hidden from them were not in the corpus (`hidden.searched_by`).

    If filters leave nothing, `emptying` says for each how many statements there would be without it. Raises Refused for
    a search for nothing, a corpus without an index, a search for meaning in an index that does not rank it, and for a
    reviewer where the index lacks statements of the corpus.
    """
    asked = asked.legible
    if not (asked.text.strip() or asked.formula.strip()):
        raise Refused("Type what you look for.", code="empty_query", field="q")
    index = index_of(corpus)
    engine = searched_by(user, index)
    begun = time.perf_counter()
    accept = engine.accept(asked.filters)
    hits, words_only = _hits(engine, asked, accept)
    took = round(1000 * (time.perf_counter() - begun))
    statements = in_order(corpus, [hit.key for hit in hits])
    emptying: tuple[tuple[str, int], ...] = ()
    if not hits:
        emptying = tuple(
            (name, engine.considered(engine.accept(asked.without(name).filters)))
            for name in asked.filters_given
        )
    return Found(
        query=_keep(user, index, asked, purpose, len(hits)),
        index=index,
        asked=asked,
        took_ms=took,
        considered=engine.considered(accept),
        results=results_of(hits, statements, asked.text, whole=is_study_staff(user)),
        emptying=emptying,
        words_only=words_only,
    )


def similar(
    *, user: Any, corpus: Corpus, text: str = "", key: str = "", k: int = DEFAULT_K, purpose: str
) -> Found:
    """The k statements of a corpus that are most like a text, or like its statement with this key.

    Search ranks the candidates, by the first 1,000 characters; then the texts are compared. Identical statements come
    first, then near ones, those that are related, and what only ranked high. The query is kept as in `search`, and
    what is hidden is left out in the same way. Raises Refused for an unknown key, an empty text, and as `search` does.
    """
    if key:
        text = statements_for(user, corpus).filter(key=key).values_list("body", flat=True).first() or ""
        if not text:
            reason = f"There is no statement {key[:200]!r} in {corpus.slug}."
            raise Refused(reason, code="no_statement", field="key")
    elif not text.strip():
        raise Refused("Give a statement in LaTeX.", code="empty_query", field="text")
    index = index_of(corpus)
    engine = searched_by(user, index)
    begun = time.perf_counter()
    asked = Asked(text.strip()[:MAX_QUERY], k=k)
    accept = engine.accept(asked.filters)
    candidates, words_only = _hits(engine, replace(asked, k=CANDIDATES + bool(key)), accept)
    read = Read(text[:COMPARED])
    statements = {row.key: row for row in in_order(corpus, [hit.key for hit in candidates if hit.key != key])}
    alike = {name: likeness(read, Read(row.body[:COMPARED])) for name, row in statements.items()}
    order = [hit for hit in candidates if hit.key in alike]
    order.sort(key=lambda hit: (KINDS.index(alike[hit.key].kind), -alike[hit.key].jaccard, hit.position))
    hits = [replace(hit, position=place) for place, hit in enumerate(order[:k], 1)]
    took = round(1000 * (time.perf_counter() - begun))
    return Found(
        query=_keep(user, index, asked, purpose, len(hits)),
        index=index,
        asked=asked,
        took_ms=took,
        considered=engine.considered(accept) - bool(key),
        results=results_of(hits, list(statements.values()), "", whole=is_study_staff(user), likenesses=alike),
        words_only=words_only,
    )


def _hits(engine: OpenIndex, asked: Asked, accept: Mask | None) -> tuple[list[Hit], str]:
    """What the engine finds, and why only words and formulas rank where the query has no vector now.

    Raises Refused for a search for meaning alone in an index that does not rank it, or without a vector.
    """
    mode, vector, words_only = asked.mode, None, ""
    try:
        text = engine.manifest.recipe.query_text(asked.text or asked.formula)
        vector = query_vector(engine, text, mode)
    except NoVectorNow as refusal:
        if mode != HYBRID:
            raise
        mode, words_only = WORDS if asked.text.strip() else FORMULA, refusal.reason
    try:
        hits = engine.search(
            asked.text, formula=asked.formula, mode=mode, k=asked.k, accept=accept, vector=vector
        )
    except NoVectors as error:
        reason = "This index does not rank by meaning. Search by words or formulas."
        raise Refused(reason, code="no_vectors", field="mode") from error
    return hits, words_only


def _keep(user: Any, index: Index, asked: Asked, purpose: str, found: int) -> int:
    """Keep the query for 30 days; returns its number."""
    kept = Query.objects.create(
        index=index,
        user=user if isinstance(user, User) else None,
        purpose=purpose,
        text=asked.text,
        formula=asked.formula,
        mode=asked.mode,
        filters=asked.filters_given,
        n_results=found,
    )
    return kept.pk


def say_relevant(
    *,
    user: User,
    statement: Statement,
    value: int,
    query: int | None = None,
    reason: str = "",
    note: str = "",
) -> Feedback:
    """Keep what a person says about a result: 1 relevant, -1 not, 0 neither. The newest counts."""
    if query is not None:
        with identities_readable():
            own = Query.objects.filter(pk=query, user=user).exists()
        if not own:
            raise Refused(
                "This search is not yours, or it is older than 30 days.", code="no_query", field="query"
            )
    return Feedback.objects.create(
        user=user, statement=statement, query_id=query, value=value, reason=reason, note=note
    )


@transaction.atomic
def forget_searches() -> int:
    """Delete searches older than 30 days; of each day only how many there were is kept. Returns how many went."""
    old = Query.objects.filter(asked_at__lt=timezone.now() - KEPT)
    days = (
        old.annotate(day=TruncDate("asked_at"))
        .values("index__corpus", "day", "purpose")
        .annotate(searches=Count("pk"))
        .order_by("index__corpus", "day", "purpose")
    )
    for day in days:
        row, _ = SearchesOfADay.objects.get_or_create(
            corpus_id=day["index__corpus"], day=day["day"], purpose=day["purpose"], defaults={"searches": 0}
        )
        SearchesOfADay.objects.filter(pk=row.pk).update(searches=F("searches") + day["searches"])
    gone, _ = old.delete()
    return gone
