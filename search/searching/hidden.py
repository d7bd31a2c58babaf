"""What a reviewer must not find while they hold items: their problems' own papers, and what is close to a reference.

The same documents are hidden wherever somebody who is signed in searches, so that comparing the grading page with
the search page tells nothing. A document is hidden whole: a single missing theorem would point at itself.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.core.cache import cache
from django.db.models import Q, QuerySet

from accounts.access import is_study_staff
from accounts.models import User
from annotation.core.phases import Phase
from annotation.models import Assignment, AssignmentState
from benchmark.citations.folding import words
from benchmark.citations.keys import Key, source_keys, work_keys
from benchmark.citations.reading import read_citation
from benchmark.models import Instance
from benchmark.overlaps import cluster_of
from retrieval.duplicates import Read, likeness
from search.corpora.queries import in_order
from search.indexes.opened import opened
from search.models import Corpus, Document, Index, IndexState
from search.searching.request import MAX_QUERY

KEPT = 7 * 24 * 3600  # seconds; what is hidden follows from index and problem, which do not change
LONGEST_CITATION = 600  # characters; a longer text names many works in passing
TITLE_WORDS = (
    3  # fewer are no title unless they are given as one: a field "Algebra" is not the chapter "Algebra"
)
CANDIDATES = 20  # statements that are compared with one text of a problem
MOST_TEXTS = 60
PASSAGE = 60  # letters from which a statement inside a text, or the reverse, counts as close


def hidden_from(user: Any, index: Index) -> tuple[str, ...]:
    """The keys of the documents that this person must not find now. Nothing is hidden from staff and strangers."""
    if not isinstance(user, User) or is_study_staff(user):
        return ()
    held = Assignment.objects.filter(reviewer=user, item__campaign__phase=Phase.OPEN).filter(
        Q(state=AssignmentState.WAITING)
        | Q(state=AssignmentState.SUBMITTED, draft__isnull=False, draft__locked_at=None)
    )
    problems = Instance.objects.filter(items__assignments__in=held).distinct()
    names = {
        f"hidden-{index.digest}-{pk}-{sha256[:16]}": pk for pk, sha256 in problems.values_list("pk", "sha256")
    }
    known = cache.get_many(names)
    missing = [pk for name, pk in names.items() if name not in known]
    for instance in Instance.objects.filter(pk__in=missing).select_related("paper"):
        name = f"hidden-{index.digest}-{instance.pk}-{instance.sha256[:16]}"
        # the problem's paper, and works that a field of the problem cites or names
        works = names_of_paper(instance)
        for text in _texts(instance.payload):
            if len(text) <= LONGEST_CITATION:
                read = source_keys(text, text) | work_keys(read_citation(text))
                long_enough = len(words(text)) >= TITLE_WORDS
                works |= {key for key in read if key[0] != "title" or long_enough}
        documents = works_by_key(index.digest, index.corpus_id)
        named = {document for key in works for document in documents.get(key, ())}
        known[name] = sorted(named | _close_to(instance, index))
        cache.set(name, known[name], KEPT)
    return tuple(sorted({key for found in known.values() for key in found}))


def found_by(user: Any, corpus: Corpus) -> QuerySet[Document]:
    """The documents of a corpus that this person may find."""
    index = corpus.indexes.filter(state=IndexState.READY).order_by("-built_at", "-pk").first()
    return corpus.documents.exclude(key__in=hidden_from(user, index) if index else ())


def names_of_paper(instance: Instance) -> set[Key]:
    """Everything that identifies the problem's own paper, in any of its versions."""
    paper = instance.paper
    if paper is None:
        return set()
    identifiers = " ".join(map(str, paper.identifiers.values()))
    keys = source_keys(paper.title, paper.key) | source_keys("", identifiers)
    return {*keys, ("key", cluster_of(paper.key))}


def _close_to(instance: Instance, index: Index) -> set[str]:
    """Documents with a statement that is a near-duplicate of a text of the problem, is in it, or has it inside."""
    engine = opened(index)
    found = set()
    for text in list(_texts(instance.payload))[:MOST_TEXTS]:
        read = Read(text)
        if len(read.exact) < PASSAGE // 3:
            continue
        hits = engine.search(text[:MAX_QUERY], mode="words", k=CANDIDATES)
        for statement in in_order(index.corpus, [hit.key for hit in hits]):
            other = Read(statement.body)
            shorter, longer = sorted((read.exact, other.exact), key=len)
            inside = len(shorter) >= PASSAGE and shorter in longer
            if inside or likeness(read, other).kind in ("identical", "near"):
                found.add(statement.document.key)
    return found


def _texts(value: Any) -> Iterator[str]:
    """Every text in a payload."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


@lru_cache(maxsize=4)
def works_by_key(digest: str, corpus: int) -> dict[Key, list[str]]:
    """Documents of an indexed corpus under everything that identifies their work."""
    found: dict[Key, list[str]] = {}
    for key, title in Document.objects.filter(corpus=corpus).values_list("key", "title").iterator():
        for name in {*source_keys(title, key), ("key", cluster_of(key))}:
            found.setdefault(name, []).append(key)
    return found
