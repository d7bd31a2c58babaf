"""Adding many archives at once: a folder, an archive of archives, or files with a manifest; or only looking at them."""

import hashlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from accounts.models import User
from accounts.refusal import Refused
from benchmark.importing.progress import Progress, silent
from construction.models import Outcome
from construction.reading.process import MOST_BYTES, Reader, Readers, Submitted, counts_of
from construction.sources.actions import judge, named, store
from construction.sources.advice import what_to_do
from construction.sources.files import read_file
from construction.sources.manifest import Fault, FaultyManifest, ManifestRow, missing_files, row_of
from work.process import CORES

SUBMITTED = (".gz", ".tgz", ".tar", ".zip", ".tex", ".pdf", ".ps")
_AHEAD = 2 * CORES  # archives that are read before the first of them is stored


@dataclass(frozen=True)
class Line:
    """What came, or would come, of one archive."""

    file: str
    source: str
    outcome: str
    form: str = ""
    main: str = ""
    statements: int = 0
    proofs: int = 0
    citations: int = 0
    code: str = ""
    sentence: str = ""
    what_to_do: str = ""


@dataclass(frozen=True)
class Report:
    """What came of all archives; `unusable` are those with a code, each with what can be done about it."""

    dry_run: bool
    archives: int
    outcomes: dict[str, int]
    codes: dict[str, int]
    lines: list[Line] = field(default_factory=list)

    @property
    def unusable(self) -> list[Line]:
        return [line for line in self.lines if line.code]


def archives_in(path: Path) -> list[tuple[str, Path]]:
    """The archives at a path, by name: itself, or those in a folder and the folders in it, in order."""
    if not path.exists():
        raise Refused(f"There is nothing at {path}.", code="no_such_file", field="path")
    if path.is_file():
        return [(path.name, path)]
    found = sorted(
        one
        for one in path.rglob("*")
        if one.is_file() and not one.is_symlink() and one.name.lower().endswith(SUBMITTED)
    )
    names = [one.relative_to(path).as_posix() for one in found]
    packed = [one for one in found if not one.name.lower().endswith(".tex")]
    if found and not packed and len(found) > 1 and any(one.parent != path for one in found):
        example = f"tar czf NAME.tar.gz -C {path} ."
        reason = f"{path} looks like one paper that is not packed. Pack each paper first: {example}"
        raise Refused(reason, code="not_packed", field="path")
    if not found:
        raise Refused(f"There is no archive in {path}.", code="no_files", field="path")
    return list(zip(names, found, strict=True))


def add_many(
    *,
    actor: User | None,
    files: Sequence[tuple[str, Path]],
    manifest: Sequence[ManifestRow] = (),
    dry_run: bool = False,
    progress: Progress = silent,
) -> Report:
    """Add archives (name, path), each in a transaction of its own; a dry run stores nothing.

    A second run goes on where a first was interrupted, because the same bytes are there already. Raises FaultyManifest
    for a manifest that names files that are not there.
    """
    lines: list[Line] = []
    pairs: dict[
        tuple[str, str], tuple[str, str]
    ] = {}  # key and version: the first file with them, and its hash
    with TemporaryDirectory() as place:
        expanded = _expanded(files, Path(place))
        if missing := missing_files(manifest, [name for name, _, _ in expanded]):
            faults = [Fault(at, "file", f"{name!r} is not among the archives") for at, name in missing]
            raise FaultyManifest(faults)
        for done, (name, path, submitted) in enumerate(_read(expanded, Path(place)), 1):
            row = row_of(name, manifest)
            pair = named(name, row)
            first = pairs.setdefault(pair, (name, submitted.sha256))
            if dry_run:
                verdict = judge(submitted, row)
                outcome, code, sentence = verdict.outcome, verdict.code, verdict.sentence
                if outcome == Outcome.NEW and first[0] != name:
                    same = first[1] == submitted.sha256
                    outcome = Outcome.THERE if same else Outcome.REFUSED
                    code = "" if same else "twice"
                    sentence = f"{first[0]} is {''.join(pair)} too."
            else:
                data = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
                verdict = store(actor=actor, submitted=submitted, data=data, row=row)
                outcome, code, sentence = verdict.outcome, verdict.code, verdict.sentence
            counts = counts_of(submitted.found.outline) if submitted.found else {}
            line = Line(
                name, "".join(pair), outcome.value, submitted.form, submitted.main,
                counts.get("statements", 0), counts.get("proofs", 0), counts.get("citations", 0), code,
                sentence, what_to_do(code),
            )  # fmt: skip
            lines.append(line)
            progress("reading" if dry_run else "adding", done, len(expanded))
    return Report(
        dry_run,
        len(lines),
        dict(sorted(Counter(line.outcome for line in lines).items())),
        dict(sorted(Counter(line.code for line in lines if line.code).items())),
        lines,
    )


def _expanded(files: Sequence[tuple[str, Path]], place: Path) -> list[tuple[str, Path, bool]]:
    """(name, path, whether it came in an archive of archives): a file that is alone may be one of those."""
    if len(files) > 1:
        return [(name, path, False) for name, path in files]
    ((name, path),) = files
    with Reader() as reader:
        found = read_file(reader, name, path, place, inner=False)
    if isinstance(found, Submitted):
        return [(name, path, False)]
    top = next(one for one in found[0].parents if one.parent == place) if found else place
    return [(one.relative_to(top).as_posix(), one, True) for one in found]


def _read(files: Iterable[tuple[str, Path, bool]], place: Path) -> Iterator[tuple[str, Path, Submitted]]:
    """Each archive read, in order; a few are read ahead, as many at once as there are cores."""

    def read(name: str, path: Path, inner: bool) -> Submitted:
        with readers.one() as reader:
            found = read_file(reader, name, path, place, inner=inner)
        if isinstance(found, Submitted):
            return found
        reason = "It is an archive of archives. Import it by itself."
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Submitted(name, "archives", digest, "nested", reason)

    waiting: deque[tuple[str, Path, Future[Submitted]]] = deque()
    with Readers() as readers, ThreadPoolExecutor(CORES) as pool:
        for name, path, inner in files:
            waiting.append((name, path, pool.submit(read, name, path, inner)))
            if len(waiting) > _AHEAD:
                name, path, reading = waiting.popleft()
                yield name, path, reading.result()
        while waiting:
            name, path, reading = waiting.popleft()
            yield name, path, reading.result()
