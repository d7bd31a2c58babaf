"""Freezing retrieval: every query executed once on an index, and written so that anybody finds the same."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.protocols.theorem_search.schema import Statement as Named
from retrieval import artifact
from retrieval.artifact import BadArtifact, Row, Terms
from retrieval.index import BadIndex
from retrieval.index import Index as OpenIndex
from retrieval.recipes import Recipe
from search.freezing.queries import limits_of, read_queries
from search.indexes.embedding import query_vector
from search.indexes.opened import opened
from search.models import Index, Statement
from search.searching.request import Asked

SNIPPET = 500  # characters of a statement in an artifact
MATCHER = "benchmark.citations 1"


def freeze_retrieval(
    *,
    release: Release,
    index: Index,
    path: Path,
    out: Path,
    n: int = 20,
    mode: str = "hybrid",
    year_policy: str = "",
) -> tuple[str, int]:
    """Execute the queries of a file on the index, write the artifact, and return its digest and number of rows.

    The problem's own paper is never found; with a policy of YEAR_POLICIES neither is what is younger
    than it or of unknown year.
    """
    if out.exists():
        raise Refused(f"{out} exists already. Choose another name.", code="exists")
    engine, corpus = opened(index), index.corpus
    queries = read_queries(path, release)
    stated = corpus.statements.order_by().values_list("licence", "document__source__licence").distinct()
    licences = {own or of_source or "unstated" for own, of_source in stated}
    terms = Terms(
        release=release.sha256,
        index=index.digest,
        recipe=Recipe.from_json(index.recipe),
        mode=mode,
        n=n,
        year_policy=year_policy,
        limits=limits_of(release, corpus, index.digest, year_policy=year_policy),
        matcher=MATCHER,
        licences=tuple(sorted(licences)),
    )
    rows, executed = [], []
    for query in queries:
        vector = query_vector(engine, engine.manifest.recipe.query_text(query.query), mode)
        encoded = base64.b64encode(vector).decode() if vector else ""
        rows.append(Row(query.instance, query.query, formula=query.formula, query_vector=encoded))
        executed.append({"instance": query.instance, "query": query.query, "at": timezone.now().isoformat()})
    made = artifact.frozen(engine, terms, rows, _Described(index), executed)
    artifact.write(out, made)
    return made.digest, len(made.rows)


def verify_retrieval(*, path: Path, folder: Path | None = None, digest: str = "") -> artifact.Verified:
    """Check an artifact, and execute its queries again on the index in the folder or on the site's own of its name.

    Raises Refused with what was changed.
    """
    try:
        read = artifact.read(path)
        place = folder or (settings.INDEX_DIR / read.terms.index if read.terms.index else None)
        # Also of the format before: an index that was built again has another name.
        engine = OpenIndex.open(place, also_old=True) if place is not None and place.is_dir() else None
        known = Index.objects.select_related("corpus").filter(digest=read.terms.index).first()
        return artifact.verify(path, engine, digest, _Described(known) if known is not None else None)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", code="no_file") from error
    except (BadArtifact, BadIndex) as error:
        raise Refused(f"{path.name}: {error}", code="bad_artifact") from error


def search_run(*, release: Release, index: Index, out: Path, mode: str, k: int) -> int:
    """Answer the queries of a release of theorem search with an index, as a file that import_outputs takes."""
    queries = {row.key: row.payload.get("query") for row in release.instances.order_by("key")}
    if not all(isinstance(query, str) and query.strip() for query in queries.values()):
        raise Refused(f"The problems of {release.name} are not queries.", code="no_queries", field="release")
    if out.exists():
        raise Refused(f"{out} exists already. Choose another name.", code="exists")
    engine = opened(index)
    lines = []
    for name_of_query, query in queries.items():
        asked = Asked(query, mode=mode, k=k)
        vector = query_vector(engine, engine.manifest.recipe.query_text(asked.text), mode)
        hits = engine.search(asked.text, mode=mode, k=k, vector=vector)
        rows = Statement.objects.select_related("document").filter(
            corpus=index.corpus, key__in=[h.key for h in hits]
        )
        found = {row.key: row for row in rows}
        results: dict[tuple[str, str], dict[str, object]] = {}
        for hit in hits:
            row = found[hit.key]
            name = f"{row.kind.capitalize()} {row.number}" if row.kind and row.number else row.key
            result = {
                "paper": row.document.key,
                "statement": name,
                "title": row.document.title,
                "text": row.body,
                "score": hit.score,
            }
            named = Named(paper=row.document.key, statement=name)  # two versions of a paper are one
            results.setdefault(
                (named.paper_key, named.statement_key), {key: of for key, of in result.items() if of != ""}
            )
        state = "answered" if results else "abstained"
        lines.append({"instance_id": name_of_query, "state": state, "results": list(results.values())})
    out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    return len(lines)


class _Described:
    """The other fields of a result: those of its document, and the beginning of the statement."""

    def __init__(self, index: Index) -> None:
        self._corpus = index.corpus

    def __call__(self, key: str) -> Mapping[str, Any]:
        statement = Statement.objects.select_related("document").get(corpus=self._corpus, key=key)
        document = statement.document
        return {
            "paper": document.key,
            "title": document.title,
            "authors": tuple(document.authors),
            "year": document.year,
            "snippet": statement.body[:SNIPPET],
        }
