"""Open indexes: each is read once by a process and shared by its threads."""

from functools import lru_cache

from django.conf import settings

from accounts.refusal import Refused
from retrieval.index import BadIndex
from retrieval.index import Index as OpenIndex
from search.models import Corpus, Index, IndexState

_OPEN_AT_ONCE = 8


def index_of(corpus: Corpus) -> Index:
    """The corpus's newest index that is ready. Raises Refused if there is none."""
    found = corpus.indexes.filter(state=IndexState.READY).order_by("-built_at", "-pk").first()
    if found is None:
        raise Refused(
            f"The corpus {corpus.slug} has no index yet. Somebody of the staff can build one.",
            code="no_index",
        )
    return found


def index_with(digest: str) -> Index:
    """The index that this digest, or its beginning of 8 or more characters, names. Raises Refused."""
    found = (
        list(Index.objects.select_related("corpus").filter(digest__startswith=digest)[:2])
        if len(digest) >= 8
        else []
    )
    if len(found) != 1:
        problem = "several indexes begin with" if found else "there is no index"
        raise Refused(f"{problem} {digest!r}".capitalize() + ".", code="no_index", field="index")
    return found[0]


def opened(index: Index) -> OpenIndex:
    """The files of an index, opened. Raises Refused if they are missing or damaged."""
    try:
        return _opened(index.digest)
    except (BadIndex, OSError) as error:
        reason = f"The files of index {index.digest[:12]} cannot be read: {error}. Build it again."
        raise Refused(reason, code="bad_index") from error


@lru_cache(maxsize=_OPEN_AT_ONCE)
def _opened(digest: str) -> OpenIndex:
    return OpenIndex.open(settings.INDEX_DIR / digest)
