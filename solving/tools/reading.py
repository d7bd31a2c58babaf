"""Tools that read what a run was given: a frozen artifact, its sources, a knowledge bank. The same always comes out."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from accounts.refusal import Refused
from benchmark.models import TupleFile
from benchmark.tuples.files import parts_of
from llm.strict_json import storable
from retrieval import artifact
from retrieval.artifact import Artifact, BadArtifact, Result
from retrieval.postings import Collector, Postings, best, impacts
from retrieval.words import terms
from solving.models import SolveRun
from solving.tools.blocking import blocker

LARGEST = 64 << 20
K1, B = 1.5, 0.75
READING = frozenset({"search", "open", "knowledge"})  # the tools of this module
MOST_RESULTS = 20
_Made = TypeVar("_Made")
_UNRESOLVED = {"text": "The text of this source is not there.", "status": "unresolved"}


@dataclass(frozen=True)
class Sources:
    """An artifact's rows, and the texts of its sources by key."""

    frozen: Artifact | None
    texts: Mapping[str, str]


def read_tool(run: SolveRun, instance: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, object]:
    """What a tool comes to. `text` is what the model is shown of it, the rest is for the recipe and for people.

    Sources are files from outside, often read from PDFs: characters that no database keeps are replaced.
    """
    query, cited = str(arguments["query"]), [str(name) for name in arguments.get("cited", ())]
    found: dict[str, object]
    if tool == "knowledge":
        entries = run.bank.content["entries"] if run.bank else []
        texts = [f"{one['title']}\n{one['statement']}\n{' '.join(one['tags'])}" for one in entries]
        fitting = [entries[place] for place in ranked_by_words(query, texts, int(arguments.get("k", 8)))]
        shown = []
        for one in fitting:
            lines = [f"{one['key']}: {one['title']}", one["statement"]]
            lines += [f"  assumes: {text}" for text in one["assumptions"]]
            lines += [f"  condition: {text}" for text in one["conditions"]]
            shown.append("\n".join(lines))
        found = {"text": "\n\n".join(shown) or "Nothing in the bank fits.", "entries": fitting}
    elif run.artifact is None:
        missing = "There is nothing to search in."
        found = {"text": missing, "missing": True, "results": [], "status": "unresolved"}
    elif tool == "search":
        found = _search(run, sources_of(run), instance, query)
    elif cited:
        found = _open_cited(run, sources_of(run), instance, cited, query)
    else:
        found = _open(run, sources_of(run), instance, query)
    return dict(storable(found))


def sources_of(run: SolveRun) -> Sources:
    """What the run may search, read once in each process."""
    held = run.artifact
    if held is None:
        return Sources(None, {})
    retrieval, texts = held.retrieval_file, held.materialisation_file
    return _sources(retrieval.sha256 if retrieval else "", texts.sha256 if texts else "")


@lru_cache(maxsize=4)
def _sources(retrieval: str, texts: str) -> Sources:
    """By the hashes of stored files; in a restored database a row's number can be that of another file."""
    frozen = _read_file(retrieval, artifact.read) if retrieval else None
    found: dict[str, str] = {}
    if texts:
        file = _small_file(texts)
        for line in b"".join(parts_of(file)).splitlines():
            try:
                said = json.loads(line)
                if isinstance(said, dict) and isinstance(said.get("text"), str):
                    found[str(said["key"])] = said["text"]
            except (ValueError, KeyError):
                continue  # a log of another format has no texts
    return Sources(frozen, found)


def year_bounds(run: SolveRun) -> Mapping[str, int | None] | None:
    """The year after which a problem is given no source of the run's artifact, by key; None without an artifact."""
    file = run.artifact.retrieval_file if run.artifact else None
    return _year_bounds(file.sha256) if file else None


@lru_cache(maxsize=64)
def _year_bounds(retrieval: str) -> Mapping[str, int | None]:
    terms = _read_file(retrieval, artifact.read_terms)
    return {key: limits.year_to for key, limits in terms.limits.items()}


def _read_file(sha256: str, read: Callable[[Path], _Made]) -> _Made:
    """What `read` makes of a stored artifact. Raises Refused."""
    file = _small_file(sha256)
    with TemporaryDirectory() as place:
        path = Path(place) / "retrieval"
        path.write_bytes(b"".join(parts_of(file)))
        try:
            return read(path)
        except BadArtifact as error:
            raise Refused(f"{file.name}: {error}", code="bad_artifact") from error


def _small_file(sha256: str) -> TupleFile:
    file = TupleFile.objects.get(sha256=sha256)
    if file.size > LARGEST:
        raise Refused(f"{file.name} is larger than {LARGEST >> 20} MB.", code="too_large")
    return file


def _search(run: SolveRun, sources: Sources, instance: str, query: str) -> dict[str, object]:
    """The results of a query of the artifact; for another query, the instance's results ranked by their words."""
    if sources.frozen is None:
        return {"text": "Not in the artifact.", "missing": True, "results": []}
    row = sources.frozen.find(instance, query)
    if row is not None:
        found: Sequence[Result] = row.results
    else:
        known = {one.key: one for of in sources.frozen.rows if of.instance == instance for one in of.results}
        shown = list(known.values())
        order = ranked_by_words(query, [f"{one.title}\n{one.snippet}" for one in shown])
        found = [shown[place] for place in order]
    block = blocker(run.blocked.content if run.blocked else None)
    results: list[Result] = []
    blocked: list[dict[str, str]] = []
    for one in found:
        if rule := block.of_source(asdict(one)):
            blocked.append({"key": one.key, "rule": rule})
        else:
            results.append(replace(one, rank=len(results) + 1))
    results = results[:MOST_RESULTS]
    lines = [
        f"{one.rank}. {one.title or one.key} ({', '.join(one.authors)}, {one.year or 'n.d.'}) "
        f"[{one.key}]\n{one.snippet}"
        for one in results
    ]
    text = "\n".join(lines) or "Not in the artifact."
    return {
        "text": text,
        "results": [asdict(one) | {"authors": list(one.authors)} for one in results],
        "blocked": blocked,
        "missing": not found,
        "frozen": row is not None,
    }


def ranked_by_words(query: str, texts: Sequence[str], k: int = MOST_RESULTS) -> list[int]:
    """The numbers of the texts that share words with the query, by BM25, the best first."""
    if not texts:
        return []
    collector = Collector()
    for text in texts:
        counted: dict[str, int] = {}
        for term in terms(text):
            counted[term] = counted.get(term, 0) + 1
        collector.add(counted)
    names, counts = collector.counts()
    places = {name: number for number, name in enumerate(names)}
    postings = Postings(counts.starts, counts.rows, impacts(counts, K1, B), places.get)
    return [int(number) for number in best(postings.scores(terms(query), len(texts)), k)]


def _open(run: SolveRun, sources: Sources, instance: str, query: str) -> dict[str, object]:
    """The stored text of a source, by its key, its paper or its title."""
    wanted, found = query.strip(), None
    for row in sources.frozen.rows if sources.frozen else ():
        if row.instance == instance and wanted:
            found = next((one for one in row.results if wanted in (one.key, one.paper, one.title)), found)
    block = blocker(run.blocked.content if run.blocked else None)
    if found is None:
        return {"text": "Not in the artifact.", "status": "unresolved", "key": wanted}
    text = sources.texts.get(found.key) or sources.texts.get(found.paper) or ""
    if rule := block.of_source(asdict(found)) or block.of_text(text):
        return {"text": "This source is blocked.", "status": "blocked", "key": found.key, "rule": rule}
    if not text:
        return {**_UNRESOLVED, "key": found.key}
    return {"text": text, "status": "resolved", "key": found.key, "title": found.title}


def _open_cited(
    run: SolveRun, sources: Sources, instance: str, names: Sequence[str], key: str
) -> dict[str, object]:
    """The stored text of the source that the problem cites, by any of its names: a search need not have found it."""
    block = blocker(run.blocked.content if run.blocked else None)
    text = next((sources.texts[name] for name in names if name in sources.texts), "")
    named = (block.of_source({"key": name, "title": name}) for name in names)
    if rule := next(filter(None, named), "") or block.of_text(text):
        return {"text": "This source is blocked.", "status": "blocked", "key": key, "rule": rule}
    if text:
        return {"text": text, "status": "resolved", "key": key}
    found = (_open(run, sources, instance, name) for name in names)
    return next((one for one in found if one["status"] != "unresolved"), {**_UNRESOLVED, "key": key})
