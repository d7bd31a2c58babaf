"""An index: a folder with a manifest that names its files, built once and read by memory map.

`build` writes every file under a name that its own hash is part of, and then replaces `manifest.json`, which is the
only file that changes. Whatever stops it, at any byte, leaves the index that was there before; an index that is open
keeps its files.
"""

import copy
import hashlib
import json
import os
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from retrieval import formulas, words
from retrieval.filters import UNKNOWN, Columns, Filters, facets_of
from retrieval.postings import (
    MOST_STATEMENTS,
    Collector,
    Counts,
    Postings,
    Remaining,
    Term,
    best,
    fused,
    impacts,
    lengths_of,
    packed,
    unpacked,
)
from retrieval.recipes import FORMULA, HYBRID, MEANING, MODES, WORDS, Recipe
from retrieval.vectors import Vectors, dimensions_of, quantised, signs

FORMAT = "touchstone.index/2"
OLD = "touchstone.index/1"  # without what `Index.without` needs; opened to verify what was frozen on it
MANIFEST = "manifest.json"
_SMALL = 4 << 20  # files up to this size are hashed at every opening
_CHUNK = 500  # statements whose formulas are counted at once
_EMBEDDED_AT_ONCE = 256

Mask = NDArray[np.bool_]
Embed = Callable[[Sequence[str]], NDArray[Any]]


class BadIndex(ValueError):
    """An index that is incomplete, changed since it was built, or made by another version of the rules for words."""


class NoVectors(ValueError):
    """Meaning was asked for, and the index has no vectors or the query has none."""


@dataclass(frozen=True)
class Entry:
    """One statement, as an index takes it. `body` is LaTeX with the macros of its document expanded.

    `context` has the titles of its document and section, `label` the note or name that its author gave it.
    """

    key: str
    body: str
    context: str = ""
    label: str = ""
    slogans: tuple[str, ...] = ()
    document: str = ""
    source: str = ""
    kind: str = ""
    licence: str = ""
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    year: int | None = None
    citations: int | None = None

    def text_for_meaning(self) -> str:
        """What a model of meaning reads: title, label and slogans first, because models cut the end."""
        parts = (self.context, self.label, *self.slogans, self.body)
        return ". ".join(part for part in map(words.plain, parts) if part)


@dataclass(frozen=True)
class Hit:
    """A statement that was found: its place from 1, its integer score, and its rank in each ranking that has it."""

    key: str
    position: int
    score: int
    ranks: Mapping[str, int]


@dataclass(frozen=True)
class File:
    """One file of an index."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Manifest:
    """What an index is made of. The SHA-256 of its canonical JSON is the index's digest."""

    corpus: str
    recipe: Recipe
    statements: int
    words: str
    formulas: str
    stemmer: str
    files: Mapping[str, File]
    format: str = FORMAT

    def as_bytes(self) -> bytes:
        """Canonical JSON."""
        value = {name: getattr(self, name) for name in self.__dataclass_fields__}
        value["recipe"] = self.recipe.as_json()
        value["files"] = {name: asdict(file) for name, file in self.files.items()}
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Manifest":
        """The inverse. Raises BadIndex for anything that `as_bytes` has not written."""
        try:
            value = json.loads(content)
            if value["format"] not in (FORMAT, OLD):
                raise ValueError(f"its format is not {FORMAT}")
            value["recipe"] = Recipe.from_json(value["recipe"])
            value["files"] = {name: File(**file) for name, file in value["files"].items()}
            return cls(**value)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadIndex(f"the manifest cannot be read: {error}") from error


def rules() -> dict[str, str]:
    """The versions of what makes terms of texts. Queries and statements must agree in them."""
    stemmer = f"snowballstemmer {version('snowballstemmer')}"
    return {"words": words.VERSION, "formulas": formulas.VERSION, "stemmer": stemmer}


def build(
    folder: Path,
    entries: Iterable[Entry],
    *,
    corpus_digest: str,
    recipe: Recipe,
    embed: Embed | None = None,
    vectors: Mapping[str, bytes] | None = None,
) -> str:
    """Build an index of the entries into the folder and return its digest.

    Equal entries, recipe and vectors give equal bytes, in whatever order the entries come. An index gets vectors if
    `embed` makes them (rows of floats, one for each text) or `vectors` has them: bytes of int8 by key, as an index
    before had them. Two builds must not use one folder at the same time. Raises ValueError for a key that is there
    twice or has a line break, and for vectors that do not fit the recipe's model.
    """
    if (embed is not None or vectors is not None) != (recipe.model is not None):
        raise ValueError("vectors and a model in the recipe need each other")
    ordered = sorted(entries, key=lambda entry: entry.key)
    for entry, following in pairwise(ordered):
        if entry.key == following.key:
            raise ValueError(f"two entries have the key {entry.key!r}")
    for entry in ordered:
        if not entry.key or "\n" in entry.key or "\r" in entry.key:
            raise ValueError(f"{entry.key!r} cannot be a key")
    if len(ordered) > MOST_STATEMENTS:
        raise ValueError(f"an index has at most {MOST_STATEMENTS:,} statements")
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, File] = {}

    def keep(name: str, content: bytes | NDArray[Any]) -> None:
        part = _written_part(folder, name, content)
        sha256 = _sha256(part)
        final = folder / f"{name}-{sha256[:16]}{'.txt' if isinstance(content, bytes) else '.npy'}"
        part.replace(final)
        files[name] = File(final.name, sha256, final.stat().st_size)

    keep("keys", "\n".join(entry.key for entry in ordered).encode())
    _keep_columns(keep, ordered)
    terms, counts, letters = _words_of(ordered, recipe)
    keep("words.terms", "\n".join(terms).encode())
    _keep_postings(keep, "words", counts, lengths_of(counts, letters), recipe)
    hashes, counts = _formulas_of(ordered)
    keep("formulas.terms", hashes)
    _keep_postings(keep, "formulas", counts, lengths_of(counts), recipe)
    if recipe.model is not None:
        table = _vectors_of(ordered, recipe.model.dimensions, embed, vectors)
        keep("vectors", table)
        keep("bits", signs(table))
    manifest = Manifest(corpus=corpus_digest, recipe=recipe, statements=len(ordered), files=files, **rules())
    content = manifest.as_bytes()
    part = _written_part(folder, MANIFEST, content)
    _sync(folder)  # everything that was written before is on the disk when the manifest changes, at once
    part.replace(folder / MANIFEST)
    _sync(folder)
    current = {file.name for file in files.values()} | {MANIFEST}
    for path in folder.iterdir():
        if path.name not in current and path.suffix in {".part", ".npy", ".txt"}:
            path.unlink()
    return hashlib.sha256(content).hexdigest()


class Index:
    """An open index. Searching changes nothing, so threads can share one."""

    def __init__(self, folder: Path, manifest: Manifest, digest: str, arrays: Mapping[str, Any]) -> None:
        """Use `Index.open`."""
        self.folder, self.manifest, self.digest = folder, manifest, digest
        self.keys: list[str] = arrays["keys"]
        self.columns = Columns(
            arrays["facets.names"],
            *(arrays[name] for name in ("facets.starts", "facets.rows", "years", "citations")),
        )
        terms, hashes = arrays["words.terms"], arrays["formulas.terms"]
        self._words: Postings[str] | Remaining[str] = Postings(
            arrays["words.starts"],
            arrays["words.rows"],
            arrays["words.impacts"],
            lambda term: _place(terms, term),
        )
        self._formulas: Postings[int] | Remaining[int] = Postings(
            arrays["formulas.starts"],
            arrays["formulas.rows"],
            arrays["formulas.impacts"],
            lambda term: _place(hashes, np.uint32(term)),
        )
        self._vectors = Vectors(arrays["vectors"], arrays["bits"]) if "vectors" in arrays else None
        # What `without` computes impacts from; an old index has none of it.
        self._counted = {
            name: (arrays[f"{name}.times"], arrays[f"{name}.lengths"])
            for name in ("words", "formulas")
            if manifest.format == FORMAT
        }
        self._gone: Mask | None = None

    @classmethod
    def open(cls, folder: Path, *, also_old: bool = False) -> "Index":
        """The index in the folder, with the sizes of all files and the hashes of the small ones checked.

        Raises BadIndex if there is none, if a file is missing or differs, or if the rules for words have changed since,
        and for the format OLD unless `also_old`.
        """
        for attempt in (1, 2):
            try:
                return cls._opened(folder, also_old)
            except FileNotFoundError as error:
                # Between the manifest and the files another build may have finished and removed them.
                if attempt == 2:
                    raise BadIndex(f"{Path(error.filename).name} is missing") from error
        raise AssertionError

    @classmethod
    def _opened(cls, folder: Path, also_old: bool) -> "Index":
        content = (folder / MANIFEST).read_bytes()
        manifest = Manifest.from_bytes(content)
        if manifest.format == OLD and not also_old:
            raise BadIndex(f"its format is {OLD}, and this version searches {FORMAT}: build it again")
        for name, now in rules().items():
            if getattr(manifest, name) != now:
                raise BadIndex(
                    f"built with {name} {getattr(manifest, name)}, and this is {now}: build it again"
                )
        arrays: dict[str, Any] = {}
        for name, file in manifest.files.items():
            if Path(file.name).name != file.name:
                raise BadIndex(f"{file.name} is outside the folder")
            path = folder / file.name
            if path.stat().st_size != file.size or (file.size <= _SMALL and _sha256(path) != file.sha256):
                raise BadIndex(f"{file.name} has changed since the index was built")
            if path.suffix == ".npy":
                arrays[name] = np.load(
                    path, mmap_mode="r" if file.size > _SMALL else None, allow_pickle=False
                )
            else:
                text = path.read_bytes().decode()
                arrays[name] = text.split("\n") if text else []
        try:
            return cls(folder, manifest, hashlib.sha256(content).hexdigest(), arrays)
        except KeyError as error:
            raise BadIndex(f"the manifest names no file for {error}") from error

    def verify(self) -> None:
        """Hash every file. Raises BadIndex for the first that differs from the manifest."""
        for file in self.manifest.files.values():
            if _sha256(self.folder / file.name) != file.sha256:
                raise BadIndex(f"{file.name} has changed since the index was built")

    def without(self, documents: Sequence[str]) -> "Index":
        """The index that `build` would make were these documents not in the corpus, but for its digest.

        Scores, counts, ranks and their order are the same, with every filter and in every mode. Raises BadIndex for an
        index of the format OLD.
        """
        if not self._counted:
            raise BadIndex(f"its format is {OLD}, from which no document can be left out: build it again")
        gone = self.columns.having("document", documents)
        numbers, recipe, left = np.flatnonzero(gone).astype(np.int32), self.manifest.recipe, copy.copy(self)
        left._gone = gone
        left._words = _remaining(self._words, *self._counted["words"], numbers, recipe)
        left._formulas = _remaining(self._formulas, *self._counted["formulas"], numbers, recipe)
        return left

    def accept(self, filters: Filters) -> Mask | None:
        """Which statements pass the filters, by number; None if the filters restrict nothing."""
        return self._remaining(self.columns.accepted(filters))

    def considered(self, accept: Mask | None) -> int:
        """How many statements a search with this mask ranks."""
        accept = self._remaining(accept)
        return len(self.keys) if accept is None else int(np.count_nonzero(accept))

    def search(
        self,
        text: str,
        *,
        formula: str = "",
        mode: str = HYBRID,
        k: int = 20,
        accept: Mask | None = None,
        vector: bytes | None = None,
    ) -> list[Hit]:
        """The k best statements among the accepted, by (score descending, key); fewer where fewer match.

        `formula` is LaTeX, bare or in a text; without it the formulas of the text count, and in the mode "formula" the
        text is one. `vector` is the query's, as bytes of int8 (`vectors.quantised`). Hybrid fuses all rankings that the
        index and the query have; an index with vectors needs the query's.

        Raises NoVectors where meaning is asked for without vectors or without a vector, and ValueError for an unknown
        mode, a k below 1, or a vector of a wrong length.
        """
        if mode not in MODES:
            raise ValueError(f"the mode is one of {', '.join(MODES)}, not {mode!r}")
        if k < 1:
            raise ValueError("k must be 1 or more")
        accept = self._remaining(accept)
        pool = max(self.manifest.recipe.pool, k) if mode == HYBRID else k
        rankings: dict[str, tuple[NDArray[np.int64], NDArray[np.int32]]] = {}
        if mode in (HYBRID, WORDS):
            scores = self._words.scores(words.terms(text), len(self.keys))
            rankings[WORDS] = best(scores, pool, accept), scores
        if mode == MEANING or (mode == HYBRID and self._vectors is not None):
            rankings[MEANING] = self._by_meaning(vector, pool, accept)
        if mode in (HYBRID, FORMULA):
            given = formula or text
            sources = formulas.formulas(given)
            if not sources and (formula or mode == FORMULA) and given.strip():
                sources = [given]
            asked = set(_half(formulas.terms_of([sources])[1]).tolist())
            if asked:
                scores = self._formulas.scores(asked, len(self.keys))
                rankings[FORMULA] = best(scores, pool, accept), scores
        if mode == HYBRID:
            found = fused([numbers for numbers, _ in rankings.values()], self.manifest.recipe.fusion_k0, k)
        else:
            found = [(n, int(scores[n])) for numbers, scores in rankings.values() for n in numbers.tolist()]
        ranks = {
            name: {number: rank for rank, number in enumerate(numbers.tolist(), 1)}
            for name, (numbers, _) in rankings.items()
        }
        return [
            Hit(self.keys[n], position, score, {name: of[n] for name, of in ranks.items() if n in of})
            for position, (n, score) in enumerate(found, 1)
        ]

    def year_of(self, key: str) -> int | None:
        """The year of a statement; None if it is not known, or there is no such statement."""
        at = _place(self.keys, key)
        return None if at is None or self.columns.years[at] == UNKNOWN else int(self.columns.years[at])

    def _remaining(self, accept: Mask | None) -> Mask | None:
        """The mask without the statements that are gone."""
        if self._gone is None:
            return accept
        return ~self._gone if accept is None else accept & ~self._gone

    def _by_meaning(
        self, vector: bytes | None, pool: int, accept: Mask | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        if self._vectors is None:
            raise NoVectors("this index has no vectors: it was built for words and formulas")
        if vector is None:
            raise NoVectors("this index ranks by meaning too, and the query has no vector")
        recipe = self.manifest.recipe
        exact = self.considered(accept) < recipe.exact_below
        bits = (
            min(max(recipe.pool, recipe.pool_per_k * pool), recipe.bits_pool)
            if recipe.pool_per_k
            else recipe.bits_pool
        )
        return self._vectors.nearest(vector, pool, accept, bits_pool=None if exact else max(bits, pool))


def _words_of(entries: Sequence[Entry], recipe: Recipe) -> tuple[list[str], Counts, NDArray[np.bool_]]:
    """(terms, counts, which terms are letters): the fields of a statement are one bag, each with its weight.

    A letter says that the notation is the same: it counts once in a statement, however often it comes.
    """
    collector = Collector()
    context_terms = lru_cache(maxsize=4_096)(words.terms)  # statements of one section share it
    for entry in entries:
        bag = (
            words.terms(entry.body) * recipe.body_weight
            + context_terms(entry.context) * recipe.context_weight
        )
        if entry.label:
            bag += words.terms(entry.label) * recipe.label_weight
        for slogan in entry.slogans:
            bag += words.terms(slogan) * recipe.slogan_weight
        collector.add(Counter(bag))
    terms, counts = collector.counts()
    letters = np.array([len(term) == 1 and term.isalpha() for term in terms], bool)
    counts.times[np.repeat(letters, np.diff(counts.starts))] = 1
    return terms, counts, letters


def _formulas_of(entries: Sequence[Entry]) -> tuple[NDArray[np.uint32], Counts]:
    """(terms, counts) of the formulas of all bodies. Half of a hash is enough to tell an index's terms apart."""
    keys = array("Q")
    for start in range(0, len(entries), _CHUNK):
        rows, found = formulas.terms_of(
            formulas.formulas(entry.body) for entry in entries[start : start + _CHUNK]
        )
        keys.frombytes(packed(_half(found), rows + np.int32(start)).tobytes())
    return unpacked(np.frombuffer(keys, np.uint64) if keys else np.zeros(0, np.uint64), len(entries))


def _half(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return hashes >> np.uint64(32)


def _vectors_of(
    entries: Sequence[Entry], dimensions: int, embed: Embed | None, given: Mapping[str, bytes] | None
) -> NDArray[np.int8]:
    table = np.empty((len(entries), dimensions), np.int8)
    if given is not None:
        for at, entry in enumerate(entries):
            if entry.key not in given:
                raise ValueError(f"there is no vector for {entry.key!r}")
            table[at] = dimensions_of(given[entry.key], dimensions)
        return table
    if embed is None:
        raise ValueError("vectors need a model to make them")
    for start in range(0, len(entries), _EMBEDDED_AT_ONCE):
        part = entries[start : start + _EMBEDDED_AT_ONCE]
        table[start : start + len(part)] = quantised(
            embed([entry.text_for_meaning() for entry in part]), dimensions
        )
    return table


def _keep_postings(
    keep: Callable[[str, NDArray[Any]], None],
    name: str,
    counts: Counts,
    lengths: NDArray[np.int32],
    recipe: Recipe,
) -> None:
    keep(f"{name}.starts", counts.starts)
    keep(f"{name}.rows", counts.rows)
    keep(f"{name}.impacts", impacts(counts, recipe.k1, recipe.b, lengths))
    most = int(counts.times.max(initial=0))
    keep(f"{name}.times", counts.times.astype(np.min_scalar_type(most)))
    keep(f"{name}.lengths", lengths)


def _remaining(
    postings: Postings[Term] | Remaining[Term],
    times: NDArray[Any],
    lengths: NDArray[np.int32],
    gone: NDArray[np.int32],
    recipe: Recipe,
) -> Remaining[Term]:
    if isinstance(postings, Remaining):
        raise ValueError("documents were left out already: leave all of them out at once")
    return Remaining(postings, times, lengths, gone, recipe.k1, recipe.b)


def _keep_columns(keep: Callable[[str, bytes | NDArray[Any]], None], entries: Sequence[Entry]) -> None:
    collector = Collector()
    for entry in entries:
        values: dict[str, Sequence[str]] = {
            name: (getattr(entry, name),) for name in ("document", "source", "kind")
        }
        values |= {"licence": (entry.licence,), "author": entry.authors, "category": entry.categories}
        collector.add(facets_of(values))
    names, having = collector.counts()
    keep("facets.names", "\n".join(names).encode())
    keep("facets.starts", having.starts)
    keep("facets.rows", having.rows)
    for field, values_of in (
        ("years", [entry.year for entry in entries]),
        ("citations", [entry.citations for entry in entries]),
    ):
        keep(field, np.array([UNKNOWN if value is None else value for value in values_of], np.int32))


def _written_part(folder: Path, name: str, content: bytes | NDArray[Any]) -> Path:
    """One file, complete and on the disk, under a name that is not its final one."""
    part = folder / f"{name}.part"
    with part.open("wb") as out:
        if isinstance(content, bytes):
            out.write(content)
        else:
            # Not np.save: on a full disk its last block can go missing without an error.
            array = np.ascontiguousarray(content)
            npy.write_array_header_1_0(out, npy.header_data_from_array_1_0(array))
            out.write(array.data)
        out.flush()
        os.fsync(out.fileno())
    return part


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(ordered: Sequence[Any], wanted: Any) -> int | None:
    at = bisect_left(ordered, wanted)
    return at if at < len(ordered) and ordered[at] == wanted else None
