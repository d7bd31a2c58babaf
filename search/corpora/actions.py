"""The verbs of corpora: import statements, freeze, delete."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.importing.batches import BATCH, check_slug, existing
from benchmark.importing.progress import Progress, silent
from benchmark.importing.records import RecordError
from benchmark.importing.survey import MAX_ERRORS, BadFile
from benchmark.models import Release
from canonical import sha256_of
from search.corpora.lines import DOCUMENT_FIELDS, STATEMENT_FIELDS, StatementLine, read_statements
from search.corpora.queries import corpus_sha256
from search.corpora.sources import Skipped, is_sources, read_sources
from search.models import Corpus, Document, Source, Statement, Visibility

Rows = Callable[[], Iterator[tuple[int, StatementLine] | RecordError]]


@dataclass(frozen=True)
class About:
    """What an import says about a corpus and its sources; empty fields keep what is stored."""

    title: str = ""
    visibility: str = ""
    release: Release | None = None
    licence: str = ""
    attribution: str = ""
    url: str = ""
    version: str = ""


@dataclass(frozen=True)
class Imported:
    """What an import did, or would do."""

    corpus: str
    dry_run: bool
    statements: int
    new: int
    documents: int
    sources: int
    skipped: tuple[Skipped, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether there was anything new."""
        return self.new > 0


@dataclass
class _Survey:
    """What the first pass over a file found."""

    statements: int = 0
    new: int = 0
    lines: dict[str, tuple[int, str]] = field(default_factory=dict)  # number and hash by key
    documents: dict[str, tuple[str, int]] = field(default_factory=dict)
    sources: set[str] = field(default_factory=set)
    errors: list[RecordError] = field(default_factory=list)


@transaction.atomic
def import_corpus(
    *,
    actor: User | None,
    path: Path,
    slug: str,
    about: About = About(),
    dry_run: bool = False,
    progress: Progress = silent,
) -> Imported:
    """Add the statements of a file to a corpus, which is made if there is none: all or nothing.

    The file is JSON Lines, or LaTeX as a file, folder or archive; `skipped` is then what was passed over in it. A
    statement that is there already with the same content is passed over, so a longer file can be imported again.
    Raises BadFile with the lines at fault or for a broken archive, and Refused for a frozen corpus.
    """
    check_slug(slug, "corpus")
    skipped: tuple[Skipped, ...] = ()
    rows: Rows = partial(read_statements, existing(path))  # reads from the beginning as often as it is called
    if is_sources(path):
        progress("reading", 0, 0)
        try:
            found = read_sources(path)
        except RecordError as error:
            raise BadFile([error], more=False) from error
        numbered = [(number, line) for number, (_, _, line) in enumerate(found.lines, 1)]
        rows, skipped = partial(iter, numbered), tuple(found.skipped)
    corpus = Corpus.objects.select_for_update().filter(slug=slug).first()
    if corpus is not None and corpus.frozen_at is not None:
        raise Refused(f"The corpus {slug} is frozen. Import the file under another name.", code="frozen")
    seen = _survey(rows, corpus, progress)
    counts = (seen.statements, seen.new, len(seen.documents), len(seen.sources))
    done = Imported(slug, dry_run, *counts, skipped)
    if dry_run:
        return done
    if corpus is None:
        corpus = Corpus.objects.create(slug=slug, title=about.title or slug, created_by=actor)
    corpus.title = about.title or corpus.title
    corpus.release = about.release or corpus.release
    corpus.visibility = Visibility.STAFF if corpus.release else about.visibility or corpus.visibility
    corpus.save(update_fields=["title", "visibility", "release"])
    said = {name: getattr(about, name) for name in ("licence", "attribution", "url", "version")}
    said = {name: value for name, value in said.items() if value}
    for name in seen.sources:
        Source.objects.update_or_create(corpus=corpus, name=name, defaults=said)
    sources = {source.name: source for source in corpus.sources.all()}
    _write(rows, corpus, sources, seen, progress)
    details = {
        "file": path.name, "statements": seen.statements, "new": seen.new, "skipped": len(skipped),
    }  # fmt: skip
    record(actor=actor, verb="import_corpus", target=corpus, details=details)
    return done


@transaction.atomic
def freeze_corpus(*, actor: User | None, corpus: Corpus) -> str:
    """Freeze a corpus for good and return its hash; a frozen one keeps what it has. Raises Refused if it is empty."""
    locked = Corpus.objects.select_for_update().get(pk=corpus.pk)
    if locked.frozen_at is not None:
        return locked.sha256
    if not locked.statements.exists():
        raise Refused(f"The corpus {locked.slug} has no statements yet.", code="empty_corpus")
    sha256 = corpus_sha256(locked)
    Corpus.objects.filter(pk=locked.pk).update(frozen_at=timezone.now(), sha256=sha256)
    record(actor=actor, verb="freeze_corpus", target=locked, details={"sha256": sha256})
    return sha256


def _survey(read: Rows, corpus: Corpus | None, progress: Progress) -> _Survey:
    """Check every line, against the others and against what is stored. Raises BadFile."""
    seen, rows = _Survey(), read()
    while batch := list(islice(rows, BATCH)):
        stored = _stored(corpus, [row[1].key for row in batch if not isinstance(row, RecordError)])
        known = {}  # the hash of what is stored of each document, in the terms of a line
        if corpus is not None:
            keys = {row[1].document for row in batch if not isinstance(row, RecordError)}
            for document in corpus.documents.filter(key__in=keys).select_related("source"):
                said = {name: getattr(document, name) for name in DOCUMENT_FIELDS}
                said["source"] = document.source.name
                said = {name: value for name, value in said.items() if value not in (None, "", [])}
                known[document.key] = sha256_of(said)
        for row in batch:
            if isinstance(row, RecordError):
                seen.errors.append(row)
                continue
            number, line = row
            seen.statements += 1
            seen.sources.add(line.source or "")
            sha256 = sha256_of(line.content())
            if line.key in seen.lines:
                reason = f"{line.key!r} is already on line {seen.lines[line.key][0]}"
                seen.errors.append(RecordError(reason, line=number, field="key"))
            elif line.key in stored and stored[line.key] != sha256:
                reason = f"{line.key!r} is stored with other words, and statements never change: give it another key"
                seen.errors.append(RecordError(reason, line=number, field="key"))
            seen.new += line.key not in stored
            seen.lines.setdefault(line.key, (number, sha256))
            described = sha256_of(line.of_document())
            first, at = seen.documents.setdefault(line.document, (described, number))
            if first != described:
                reason = f"document {line.document!r} is described differently on line {at}"
                seen.errors.append(RecordError(reason, line=number, field="document"))
            elif known.get(line.document, described) != described:
                reason = (
                    f"document {line.document!r} is stored with another title, year, source or other authors"
                )
                seen.errors.append(RecordError(reason, line=number, field="document"))
        if len(seen.errors) > MAX_ERRORS:
            raise BadFile(seen.errors[:MAX_ERRORS], more=True)
        progress("checking", seen.statements, 0)
    if seen.errors:
        raise BadFile(seen.errors, more=False)
    if not seen.statements:
        raise Refused("the file contains no statements", code="empty_file")
    return seen


def _stored(corpus: Corpus | None, keys: list[str]) -> dict[str, str]:
    if corpus is None:
        return {}
    return dict(corpus.statements.filter(key__in=keys).values_list("key", "sha256"))


def _write(
    read: Rows, corpus: Corpus, sources: Mapping[str, Source], seen: _Survey, progress: Progress
) -> None:
    """The second pass. Raises Refused if the file is no longer what the first pass saw."""
    rows, done = read(), 0
    while batch := list(islice(rows, BATCH)):
        rows_read = [row for row in batch if not isinstance(row, RecordError)]
        lines = [line for _, line in rows_read]
        if len(lines) < len(batch) or any(
            seen.lines.get(line.key) != (number, sha256_of(line.content())) for number, line in rows_read
        ):
            raise Refused("the file changed while it was read; nothing was imported", code="file_changed")
        there = set(
            corpus.documents.filter(key__in={line.document for line in lines}).values_list("key", flat=True)
        )
        new = {line.document: line for line in lines if line.document not in there}
        Document.objects.bulk_create(
            Document(
                corpus=corpus, source=sources[line.source or ""], key=key,
                **{name: value for name, value in line.of_document().items() if name != "source"},
            )
            for key, line in new.items()
        )  # fmt: skip
        documents = dict(
            corpus.documents.filter(key__in={line.document for line in lines}).values_list("key", "pk")
        )
        stored = _stored(corpus, [line.key for line in lines])
        Statement.objects.bulk_create(
            Statement(
                corpus=corpus,
                document_id=documents[line.document],
                key=line.key,
                sha256=sha256_of(content),
                **{name: content[name] for name in STATEMENT_FIELDS if name in content},
            )
            for line in lines
            if line.key not in stored and (content := line.content())
        )
        done += len(lines)
        progress("writing", done, seen.statements)
    if done != seen.statements:
        raise Refused("the file changed while it was read; nothing was imported", code="file_changed")
