"""Frozen retrieval artifacts: what a search found for each query, so that anyone finds the same, byte for byte.

An artifact is a ZIP of `manifest.json` (under which terms), `rows.jsonl` (queries with their vectors and results) and
`executed.jsonl` (when; outside the digest). The digest is the SHA-256 of the manifest, which has that of the rows.
Members are stored without compression and with one fixed time: equal content is an equal file.
"""

import base64
import binascii
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from retrieval.filters import Filters
from retrieval.index import Index
from retrieval.recipes import HYBRID, MEANING, MODES, Recipe

FORMAT = "touchstone.retrieval/1"
OWN, EXTERNAL = "index", "external"
MEMBERS = ("manifest.json", "rows.jsonl", "executed.jsonl")
LARGEST = 1 << 30  # bytes of a file that is read
_TIME = (1980, 1, 1, 0, 0, 0)


class BadArtifact(ValueError):
    """A file that is not an artifact, or in which something was changed. The message names the member and the line."""


@dataclass(frozen=True)
class Limits:
    """What one instance must not be given: documents by key, and years after `year_to`."""

    excluded: tuple[str, ...] = ()
    year_to: int | None = None
    include_unknown_years: bool = False

    def filters(self) -> Filters:
        """The same for an index."""
        return Filters(
            not_documents=self.excluded,
            year_to=self.year_to,
            include_unknown_years=self.include_unknown_years,
        )


@dataclass(frozen=True)
class Result:
    """One statement or source that was found; `score` is an integer."""

    rank: int
    key: str
    score: int
    paper: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    snippet: str = ""


@dataclass(frozen=True)
class Row:
    """One query of an instance with its results. `query_vector` is base64 of int8, empty where only words count."""

    instance: str
    query: str
    results: tuple[Result, ...] = ()
    formula: str = ""
    query_vector: str = ""

    def as_bytes(self) -> bytes:
        """One line of rows.jsonl."""
        return _canonical(asdict(self))


@dataclass(frozen=True)
class Terms:
    """Under which terms the rows were made: the manifest without its format and the hash of the rows.

    `release` and `index` are digests. Of the provider "external" neither an index nor a recipe is known, and `settings`
    says what is: the service, its language, its region. `limits` has an entry for each instance with any. `matcher`
    names the version of the rules by which sources are told apart.
    """

    release: str
    provider: str = OWN
    index: str = ""
    recipe: Recipe | None = None
    mode: str = HYBRID
    n: int = 20
    year_policy: str = ""
    limits: Mapping[str, Limits] = field(default_factory=dict)
    matcher: str = ""
    licences: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.provider not in (OWN, EXTERNAL):
            raise BadArtifact(f"the provider is {self.provider!r}, neither {OWN} nor {EXTERNAL}")
        if (self.provider == OWN) != bool(self.index and self.recipe):
            raise BadArtifact(f"an index and a recipe belong to the provider {OWN}, and only to it")
        if self.mode not in MODES or self.n < 1:
            raise BadArtifact(f"no search has the mode {self.mode!r} and {self.n} results")


@dataclass(frozen=True)
class Artifact:
    """Terms and rows. Rows are sorted by instance, query and formula, and each occurs once."""

    terms: Terms
    rows: tuple[Row, ...]
    executed: tuple[Mapping[str, Any], ...] = ()

    @property
    def digest(self) -> str:
        """The name of the artifact, for a frozen tuple."""
        return hashlib.sha256(self.manifest()).hexdigest()

    def manifest(self) -> bytes:
        """The bytes of manifest.json."""
        terms = {name: getattr(self.terms, name) for name in self.terms.__dataclass_fields__}
        terms["recipe"] = None if self.terms.recipe is None else self.terms.recipe.as_json()
        terms["limits"] = {instance: asdict(limits) for instance, limits in self.terms.limits.items()}
        rows = {"rows": len(self.rows), "rows_sha256": hashlib.sha256(self.lines()).hexdigest()}
        return _canonical({"format": FORMAT, **terms, **rows})

    def lines(self) -> bytes:
        """The bytes of rows.jsonl."""
        return b"".join(row.as_bytes() + b"\n" for row in self.rows)

    def find(self, instance: str, query: str, formula: str = "") -> Row | None:
        """What was found for a query, or None: it is not in the artifact and must not be answered from elsewhere."""
        for row in self.rows:
            if (row.instance, row.query, row.formula) == (instance, query, formula):
                return row
        return None


@dataclass(frozen=True)
class Verified:
    """What a check found. `executed_again` is False where there was no index to ask: only hashes were compared then.

    Anyone who changes an artifact can compute its hashes again, so `unchecked` names what nothing but they vouch for.
    It is empty where the digest was known beforehand.
    """

    digest: str
    rows: int
    executed_again: bool
    faults: tuple[str, ...]
    unchecked: tuple[str, ...] = ()


Describe = Callable[[str], Mapping[str, Any]]
_DESCRIBED = ("papers", "titles", "authors", "venues", "snippets")
_MISSING = "whether a query is missing"


def frozen(
    index: Index,
    terms: Terms,
    queries: Iterable[Row],
    describe: Describe,
    executed: Iterable[Mapping[str, Any]] = (),
) -> Artifact:
    """An artifact of the queries (rows whose results do not count), executed on the index.

    `describe(key)` gives the other fields of a Result. Raises BadArtifact for an index that the terms do not name and
    for a query that is there twice.
    """
    if terms.index != index.digest:
        raise BadArtifact(f"the terms name the index {terms.index[:12]}, this is {index.digest[:12]}")
    rows = sorted(queries, key=_order)
    for row, following in pairwise(rows):
        if _order(row) == _order(following):
            raise BadArtifact(f"{row.instance} asks {row.query!r} twice")
    return Artifact(terms, tuple(execute(index, terms, row, describe) for row in rows), tuple(executed))


def execute(index: Index, terms: Terms, row: Row, describe: Describe) -> Row:
    """The row with what the index finds now."""
    accept, vector = index.accept(terms.limits.get(row.instance, Limits()).filters()), None
    if terms.mode in (HYBRID, MEANING) and row.query_vector:
        try:
            vector = base64.b64decode(row.query_vector, validate=True)
        except binascii.Error as error:
            raise BadArtifact(f"the vector of {row.query!r} is not base64") from error
    hits = index.search(
        row.query,
        formula=row.formula,
        mode=terms.mode,
        k=terms.n,
        accept=accept,
        vector=vector,
    )
    return replace(
        row, results=tuple(Result(hit.position, hit.key, hit.score, **describe(hit.key)) for hit in hits)
    )


def write(path: Path, artifact: Artifact) -> str:
    """Write the artifact, whole or not at all, and return its digest."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(packed(artifact))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return artifact.digest


def packed(artifact: Artifact) -> bytes:
    """The bytes of the ZIP."""
    executed = b"".join(_canonical(line) + b"\n" for line in artifact.executed)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in zip(MEMBERS, (artifact.manifest(), artifact.lines(), executed), strict=True):
            member = zipfile.ZipInfo(name, _TIME)
            member.external_attr = 0o644 << 16
            archive.writestr(member, content)
    return out.getvalue()


def read(path: Path) -> Artifact:
    """The artifact in a file. Raises BadArtifact for any byte that `write` would not have written."""
    if path.stat().st_size > LARGEST:
        raise BadArtifact(f"the file is larger than {LARGEST} bytes")
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if tuple(archive.namelist()) != MEMBERS:
                raise BadArtifact(f"the members are not {', '.join(MEMBERS)}")
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise BadArtifact("a member is compressed")
            manifest, lines, executed = (archive.read(name) for name in MEMBERS)
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError) as error:
        raise BadArtifact(f"the file cannot be read as a ZIP: {error}") from error
    terms, count, sha256 = _terms(manifest)
    artifact = Artifact(terms, tuple(_rows(lines)), tuple(_json_lines(executed, "executed.jsonl")))
    if hashlib.sha256(lines).hexdigest() != sha256 or len(artifact.rows) != count:
        raise BadArtifact("rows.jsonl is not the file that the manifest names")
    for row, following in pairwise(artifact.rows):
        if _order(row) >= _order(following):
            raise BadArtifact(f"rows.jsonl: {following.instance} with {following.query!r} is out of order")
    try:
        same = packed(artifact) == content
    except ValueError as error:  # half a character pair, or a number that is none: JSON reads both
        raise BadArtifact(f"a value that is not written: {error}") from error
    if not same:
        raise BadArtifact(
            "the file has bytes that are not written this way: it was changed or made by another program"
        )
    return artifact


def read_terms(path: Path) -> Terms:
    """The terms of an artifact without its rows, which are not checked: for a file that was read before."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _terms(archive.read(MEMBERS[0]))[0]
    except (zipfile.BadZipFile, OSError, EOFError, KeyError, RuntimeError) as error:
        raise BadArtifact(f"the file cannot be read as a ZIP: {error}") from error


def verify(
    path: Path, index: Index | None = None, digest: str = "", describe: Describe | None = None
) -> Verified:
    """Check a file: every hash, the digest if one is given, and with an index every query again.

    The index must be the one that the artifact names, and its own files are hashed as well. It has the years of
    results; for their titles and the like give `describe`, as `frozen` takes it. Raises BadArtifact as `read` does, and
    for a wrong digest or index.
    """
    artifact = read(path)
    if digest and artifact.digest != digest:
        raise BadArtifact(f"the digest is {artifact.digest}, not {digest}")
    if artifact.terms.provider == EXTERNAL or index is None:
        unchecked = () if digest else ("results", _MISSING)
        return Verified(artifact.digest, len(artifact.rows), False, (), unchecked)
    if index.digest != artifact.terms.index:
        raise BadArtifact(f"the artifact is of the index {artifact.terms.index}, this is {index.digest}")
    if artifact.terms.recipe != index.manifest.recipe:
        raise BadArtifact("the recipe is not that of the index")
    index.verify()
    faults = []
    for number, row in enumerate(artifact.rows, 1):
        written = {result.key: result for result in row.results}

        def as_it_should_be(key: str, written: Mapping[str, Result] = written) -> Mapping[str, Any]:
            values = asdict(written[key]) if key in written else {}
            values |= {"year": index.year_of(key)} if describe is None else describe(key)
            return {name: of for name, of in values.items() if name not in {"rank", "key", "score"}}

        again = execute(index, artifact.terms, row, as_it_should_be)
        if again.as_bytes() != row.as_bytes():
            faults.append(f"rows.jsonl line {number}: {_difference(row, again)}")
    unchecked = (*(_DESCRIBED if describe is None else ()), _MISSING)
    return Verified(artifact.digest, len(artifact.rows), True, tuple(faults), () if digest else unchecked)


def _difference(row: Row, again: Row) -> str:
    for old, new in zip(row.results, again.results, strict=False):
        if (old.key, old.score) != (new.key, new.score):
            return f"rank {old.rank} is {old.key} ({old.score}), the index finds {new.key} ({new.score})"
    if len(row.results) != len(again.results):
        return f"{len(row.results)} results, the index finds {len(again.results)}"
    for old, new in zip(row.results, again.results, strict=True):
        for name in Result.__dataclass_fields__:
            if (said := getattr(old, name)) != (stored := getattr(new, name)):
                return f"rank {old.rank}, {name}: {str(said)[:200]!r} where {str(stored)[:200]!r} is stored"
    return "the row is written in another way"


def _order(row: Row) -> tuple[str, str, str]:
    return row.instance, row.query, row.formula


def _terms(content: bytes) -> tuple[Terms, int, str]:
    try:
        value = json.loads(content)
        if value.pop("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        count, sha256 = value.pop("rows"), value.pop("rows_sha256")
        value["recipe"] = None if value["recipe"] is None else Recipe.from_json(value["recipe"])
        limits: Mapping[str, Any] = value["limits"]
        value["limits"] = {
            instance: Limits(**of | {"excluded": tuple(of["excluded"])}) for instance, of in limits.items()
        }
        value["licences"] = tuple(value["licences"])
        terms = Terms(**value)
        # JSON reads values of other types than `write` writes.
        texts = [terms.release, terms.index, terms.year_policy, terms.matcher, *terms.licences]
        texts += [*terms.settings.values(), *(key for of in terms.limits.values() for key in of.excluded)]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a name is text")
        if type(terms.n) is not int or not all(_is_year(of.year_to) for of in terms.limits.values()):
            raise TypeError("the number of results, and a year, are whole numbers")
        if not all(isinstance(of.include_unknown_years, bool) for of in terms.limits.values()):
            raise TypeError("include_unknown_years is true or false")
        return terms, count, sha256
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadArtifact(f"manifest.json: {error}") from error


def _is_year(value: object) -> bool:
    return value is None or type(value) is int  # True is an int, too


def _rows(content: bytes) -> Iterator[Row]:
    for number, value in enumerate(_json_lines(content, "rows.jsonl"), 1):
        try:
            results = tuple(Result(**of | {"authors": tuple(of["authors"])}) for of in value.pop("results"))
            if not all(isinstance(of, str) for of in value.values()):
                raise TypeError("a query is text")
            for of in results:
                if not all(
                    isinstance(text, str)
                    for text in (of.key, of.paper, of.title, of.venue, of.snippet, *of.authors)
                ):
                    raise TypeError("what a result says is text")
                if type(of.rank) is not int or type(of.score) is not int or not _is_year(of.year):
                    raise TypeError("rank, score and year are whole numbers")
            yield Row(**value, results=results)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadArtifact(f"rows.jsonl line {number}: {error}") from error


def _json_lines(content: bytes, name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadArtifact(f"{name} line {number}: {error}") from error
        if not isinstance(value, dict):
            raise BadArtifact(f"{name} line {number}: not an object")
        yield value


def _canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()
