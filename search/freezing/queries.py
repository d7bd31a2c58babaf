"""A file of queries of a release's problems, and what each problem must not be given."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from accounts.refusal import Refused
from benchmark.importing.batches import existing
from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.keys import Key, Strict
from benchmark.importing.records import RecordError
from benchmark.importing.survey import MAX_ERRORS, BadFile
from benchmark.models import Release
from benchmark.releases.years import YEAR_POLICIES
from retrieval.artifact import Limits
from search.models import Corpus
from search.searching.hidden import names_of_paper, works_by_key
from search.searching.request import MAX_FORMULA, MAX_QUERY


class FrozenQuery(Strict):
    """A line: the problem that asks, and what it asks."""

    instance: Key
    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]
    formula: Annotated[str, Field(max_length=MAX_FORMULA)] = ""


def read_queries(path: Path, release: Release) -> list[FrozenQuery]:
    """The queries of a file. Raises BadFile for lines that are none, or whose problem the release does not have."""
    known = set(release.instances.values_list("key", flat=True))
    found, errors = [], []
    seen: dict[tuple[str, str, str], int] = {}

    def numbered(record: FrozenQuery, line: Line) -> tuple[int, FrozenQuery]:
        return line.number, record

    for row in read_records(existing(path), FrozenQuery, numbered):
        if isinstance(row, RecordError):
            errors.append(row)
            continue
        number, query = row
        if query.instance not in known:
            reason = f"the release has no instance {query.instance[:200]!r}"
            errors.append(RecordError(reason, line=number, field="instance"))
        first = seen.setdefault((query.instance, query.query, query.formula), number)
        if first != number:
            errors.append(RecordError(f"the same query is on line {first}", line=number, field="query"))
        found.append(query)
    if errors:
        raise BadFile(errors[:MAX_ERRORS], more=len(errors) > MAX_ERRORS)
    if not found:
        raise Refused("the file contains no queries", code="empty_file")
    return found


def limits_of(release: Release, corpus: Corpus, digest: str, *, year_policy: str) -> Mapping[str, Limits]:
    """For each problem the documents that are its own paper in any version, and by the policy a year as a bound.

    A paper without a year bounds nothing; statements of unknown years are left out where a year is bounded.
    """
    documents = works_by_key(digest, corpus.pk)
    found = {}
    for instance in release.instances.select_related("paper"):
        if instance.paper is None:
            continue
        own = {key for name in names_of_paper(instance) for key in documents.get(name, ())}
        year = YEAR_POLICIES[year_policy](instance.paper)
        if own or year is not None:
            found[instance.key] = Limits(excluded=tuple(sorted(own)), year_to=year)
    return found
