"""What a reviewer must not find: the own papers of the problems they answer about, and what is close to a reference.

The same documents are hidden wherever somebody who is signed in searches, so that comparing the grading page with
the search page tells nothing. A document is hidden whole: a single missing theorem would point at itself. What remains
is searched as if the hidden documents were not in the corpus, because scores and counts would tell their words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import Refused
from annotation.core.phases import Phase
from annotation.models import Assignment
from benchmark.citations.folding import words
from benchmark.citations.keys import Key, source_keys, work_keys
from benchmark.citations.reading import read_citation
from benchmark.models import Instance
from benchmark.overlaps import cluster_of
from canonical import strings_of
from retrieval.duplicates import Read, likeness
from retrieval.index import Index as OpenIndex
from search.corpora.queries import corpora_for, in_order
from search.indexes.opened import index_of, opened
from search.models import Corpus, Document, Index, Statement
from search.searching.request import MAX_QUERY

KEPT = 7 * 24 * 3600  # seconds; what is hidden follows from index and problem, which do not change
LONGEST_CITATION = 600  # characters; a longer text names many works in passing
TITLE_WORDS = (
    3  # fewer are not a title unless they are given as one: a field "Algebra" is not the chapter "Algebra"
)
CANDIDATES = 20  # statements that are compared with each MAX_QUERY characters of a text of a problem
PASSAGE = 60  # letters from which a statement inside a text, or the reverse, counts as close


def problems_of(user: Any) -> dict[int, str]:
    """The problems that this person has something to answer about, with their hashes; staff and strangers have none.

    They are those of every place of theirs in a campaign that is not closed: waiting, submitted or given up. An answer
    can be revised and discussed until then, and a problem may come again with another item.
    """
    if not isinstance(user, User) or is_study_staff(user):
        return {}
    places = Assignment.objects.filter(reviewer=user).exclude(item__campaign__phase=Phase.CLOSED)
    return dict(places.order_by().values_list("item__instance", "item__instance__sha256").distinct())


def searched_by(user: Any, index: Index) -> OpenIndex:
    """The index as it is for this person: without the documents that are hidden from them, as if there were none.

    Raises Refused with "index_behind" for somebody who has something to answer, where the corpus has statements that
    are not in the index: whether they must be hidden is not known.
    """
    problems = problems_of(user)
    engine = opened(index)
    if not problems:
        return engine
    _require_whole(index)
    # Also where nothing is hidden, so that the time which it takes does not tell.
    return engine.without(_hidden(problems, index))


def found_by(user: Any, corpus: Corpus) -> QuerySet[Document]:
    """The documents of a corpus that this person may find.

    Raises Refused with "no_index" or "index_behind" as a search does, for somebody who has something to answer.
    """
    return _shown(user, corpus)[0]


def statements_for(user: Any, corpus: Corpus) -> QuerySet[Statement]:
    """The statements of these documents, with what a result shows of them."""
    documents, last = _shown(user, corpus)
    rows = Statement.objects.filter(document__in=documents).select_related("corpus", "document__source")
    return rows if last is None else rows.filter(pk__lte=last)


def _shown(user: Any, corpus: Corpus) -> tuple[QuerySet[Document], int | None]:
    """Those documents, and the last of their statements that was checked; None where all are shown.

    It takes a while to find what is hidden. What is imported in the meantime was compared with nothing, so it is left
    out.
    """
    problems = problems_of(user)
    if not problems:
        return corpus.documents.all(), None
    index = index_of(corpus)
    document, statement = _require_whole(index)
    hidden = _hidden(problems, index)
    return corpus.documents.filter(pk__lte=document).exclude(key__in=hidden), statement


@dataclass(frozen=True)
class Listed:
    """A corpus, and how many of its statements somebody may find; None where that is not known (see `found_by`)."""

    corpus: Corpus
    n_statements: int | None


def listed_for(user: Any) -> list[Listed]:
    """The corpora that this person may search."""
    rows = corpora_for(user).annotate(n_all=Count("statements")).order_by("slug")
    if not problems_of(user):
        return [Listed(corpus, corpus.n_all) for corpus in rows]
    listed = []
    for corpus in rows:
        found: int | None
        try:
            found = statements_for(user, corpus).count()
        except Refused:
            found = None
        listed.append(Listed(corpus, found))
    return listed


def _require_whole(index: Index) -> tuple[int, int]:
    """The last document and the last statement of the corpus, all of which is in the index. Raises Refused."""
    known = index.corpus.statements.aggregate(n=Count("pk"), document=Max("document"), statement=Max("pk"))
    if index.n_statements < known["n"]:
        raise Refused(
            f"Statements were added to {index.corpus.slug} after its index was built, so what must be hidden from you "
            "while you grade is not known. Somebody of the staff can build the index again.",
            code="index_behind",
        )
    return known["document"], known["statement"]


def _hidden(problems: Mapping[int, str], index: Index) -> tuple[str, ...]:
    names = {f"hidden-2-{index.digest}-{pk}-{sha256[:16]}": pk for pk, sha256 in problems.items()}
    known = cache.get_many(names)
    missing = [pk for name, pk in names.items() if name not in known]
    for instance in Instance.objects.filter(pk__in=missing).select_related("paper"):
        name = f"hidden-2-{index.digest}-{instance.pk}-{instance.sha256[:16]}"
        # the problem's paper, and works that a field of the problem cites or names
        works = names_of_paper(instance)
        texts = [text for text in strings_of(instance.payload) if text.strip()]
        for text in texts:
            if len(text) <= LONGEST_CITATION:
                read = source_keys(text, text) | work_keys(read_citation(text))
                long_enough = len(words(text)) >= TITLE_WORDS
                works |= {key for key in read if key[0] != "title" or long_enough}
        known_as = (
            works_by_key(index.digest, index.corpus_id),
            _works_by_address(index.digest, index.corpus_id),
        )
        named = {document for documents in known_as for key in works for document in documents.get(key, ())}
        known[name] = sorted(named | _close_to(texts, index))
        cache.set(name, known[name], KEPT)
    return tuple(sorted({key for found in known.values() for key in found}))


def names_of_paper(instance: Instance) -> set[Key]:
    """Everything that identifies the problem's own paper, in any of its versions."""
    paper = instance.paper
    if paper is None:
        return set()
    identifiers = " ".join(map(str, paper.identifiers.values()))
    keys = source_keys(paper.title, paper.key) | source_keys("", identifiers)
    return {*keys, ("key", cluster_of(paper.key))}


def _close_to(texts: Sequence[str], index: Index) -> set[str]:
    """Documents with a statement that is a near-duplicate of one of these texts, is in it, or has it inside."""
    engine = opened(index)
    found = set()
    for text in texts:
        read = Read(text)
        if len(read.exact) < PASSAGE // 3:
            continue
        pieces = [text[at : at + MAX_QUERY] for at in range(0, len(text), MAX_QUERY)]
        hits = {hit.key for piece in pieces for hit in engine.search(piece, mode="words", k=CANDIDATES)}
        for statement in in_order(index.corpus, sorted(hits)):
            other = Read(statement.body)
            shorter, longer = sorted((read.exact, other.exact), key=len)
            inside = len(shorter) >= PASSAGE and shorter in longer
            if inside or likeness(read, other).kind in ("identical", "near"):
                found.add(statement.document.key)
    return found


@lru_cache(maxsize=4)
def works_by_key(digest: str, corpus: int) -> dict[Key, list[str]]:
    """Documents of an indexed corpus under everything that identifies their work."""
    found: dict[Key, list[str]] = {}
    for key, title in Document.objects.filter(corpus=corpus).values_list("key", "title").iterator():
        for name in {*source_keys(title, key), ("key", cluster_of(key))}:
            found.setdefault(name, []).append(key)
    return found


@lru_cache(maxsize=4)
def _works_by_address(digest: str, corpus: int) -> dict[Key, set[str]]:
    """Documents under each arXiv number and DOI in the addresses where their statements can be read."""
    found: dict[Key, set[str]] = {}
    rows = Statement.objects.filter(corpus=corpus).exclude(url="").order_by()
    addresses = rows.values_list("document__key", "url").iterator()
    # without the place within a paper, one for most documents: each takes time to read
    for document, address in {(document, url.partition("#")[0]) for document, url in addresses}:
        for name in source_keys("", address):
            found.setdefault(name, set()).add(document)
    return found
