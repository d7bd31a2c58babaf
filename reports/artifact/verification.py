"""Verifying an artifact: recompute it from its own sources, byte for byte, and name what differs."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from accounts.refusal import Refused
from benchmark.models import STORABLE
from benchmark.protocols import protocol_names
from canonical.documents import as_json
from llm.strict_json import unique_keys
from reports.artifact.code_version import code_version
from reports.artifact.fingerprints import Difference, altered
from reports.artifact.freezing import FORMAT, FORMATS, WITH_PAIRS, WITH_REMARKS, assemble, sources_of
from reports.artifact.manifest import Manifest, broken_chains
from reports.artifact.remarks import remarks_from_json
from reports.comparison.choices import Choices, compared
from reports.core.canonical import canonical, sha256
from reports.scores.document import score
from reports.scores.inputs import Inputs

_MAX_DIFFERENCES = 50
_SECTIONS = ("made_with", "manifest", "inputs", "score", "parts", "fingerprints")


@dataclass(frozen=True)
class Verification:
    """`differences` is empty when everything in the artifact follows from its sources.

    `notes` say in what the code that verified differs from the code that made it: no fault by itself.
    """

    sha256: str
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        return not self.differences

    def as_json(self) -> dict[str, object]:
        """The document that `manage.py verify_artifact --json` prints."""
        return {
            "verified": self.verified,
            "sha256": self.sha256,
            "differences": [asdict(difference) for difference in self.differences],
            "notes": list(self.notes),
        }


def read_artifact(content: bytes) -> dict[str, Any]:
    """An artifact file parsed. Raises Refused when it is no JSON object of the known format."""
    try:
        document = json.loads(content, object_pairs_hook=unique_keys)
    except UnicodeDecodeError as error:
        raise Refused(f"The file is not JSON: no UTF-8 at byte {error.start}.", code="not_json") from error
    except (ValueError, RecursionError) as error:
        raise Refused(f"The file is not JSON: {error}", code="not_json") from error
    if not isinstance(document, dict):
        raise Refused("The file does not contain a JSON object.", code="not_an_artifact")
    _check_shape(document)
    return document


def verify_file(content: bytes) -> Verification:
    """Verify a file's bytes; one line feed at the end is allowed. Raises Refused as read_artifact does."""
    document = read_artifact(content)
    found = verify(document)
    if found.differences:
        return found
    expected = canonical(document)
    actual = content.removesuffix(b"\n")
    if actual == expected:
        return found
    at = _first_difference(expected, actual)
    place = Difference(f"byte {at}", repr(expected[at : at + 1])[1:], repr(actual[at : at + 1])[1:])
    return Verification(found.sha256, (place,), found.notes)


def verify(document: Mapping[str, Any]) -> Verification:
    """Recompute an artifact from its own sources and name every place that differs.

    Raises Refused when the document is not an artifact of the format known here.
    """
    _check_shape(document)
    # in words, how this code differs from that which made the artifact
    notes = []
    protocol, made_with = document["inputs"].get("protocol"), document["made_with"]
    here = code_version(protocol) if protocol in protocol_names() else {}
    for key in ("touchstone", "python", "libraries", "code") if here else ():
        made, now = made_with.get(key), here[key]
        if isinstance(made, dict) and isinstance(now, Mapping):
            names = [name for name in sorted({*made, *now}) if made.get(name) != now.get(name)]
            if names:
                notes.append(f"{key}: {', '.join(names)} differ here from what made the artifact")
        elif made != now:
            notes.append(f"{key}: {now} here, {made} when the artifact was made")
    differences = tuple(islice(_differences_of(document), _MAX_DIFFERENCES))
    return Verification(str(document.get("sha256", "")), differences, tuple(notes))


def with_tuple_files(
    found: Verification, document: Mapping[str, Any], given: Mapping[str, str]
) -> Verification:
    """The same with the files of the artifact's frozen tuple compared; `given` are their SHA-256 by entry.

    Notes say which files were compared, and which have a hash in the artifact but were not given.
    """
    entries = document["inputs"].get("frozen_tuple")
    if not isinstance(entries, dict):
        entries = {}
    differences, notes = list(found.differences), list(found.notes)
    for entry in STORABLE:
        key = f"{entry}_sha256"
        frozen = entries.get(key)
        if entry in given and given[entry] != frozen:
            expected = frozen or "the hash of a file; this entry is only named or there is no tuple"
            differences.append(Difference(f"inputs.frozen_tuple.{key}", expected, given[entry]))
        elif entry in given:
            notes.append(f"frozen tuple: the file of {entry} is the one that was frozen")
        elif frozen:
            notes.append(
                f"frozen tuple: the file of {entry} (SHA-256 {frozen}) was not given, so not compared"
            )
    return Verification(found.sha256, tuple(differences), tuple(notes))


def _check_shape(document: Mapping[str, Any]) -> None:
    if document.get("format") not in FORMATS:
        raise Refused(f"This is not a {FORMAT} document.", code="not_an_artifact", field="format")
    more = {WITH_REMARKS: ("remarks",), WITH_PAIRS: ("pairs", "comparisons")}.get(document["format"], ())
    for section in (*_SECTIONS, *more):
        if not isinstance(document.get(section), dict):
            raise Refused("The artifact lacks this part.", code="not_an_artifact", field=section)


def _differences_of(document: Mapping[str, Any]) -> Iterator[Difference]:
    """Changed sources, down to the values; only without any is it computed again, as nothing else means anything.

    A part whose own hash was altered is not taken for changed when the document's hash is right without it.
    """
    sources, parts, marks = sources_of(document), document["parts"], document["fingerprints"]
    content = {key: value for key, value in document.items() if key != "sha256"}
    changed = []
    for name in sorted(set(sources) | set(parts) - {"score", "comparisons"}):
        if name not in sources:
            changed.append(Difference(name, "a part of the artifact", "none"))
            continue
        here = sha256(sources[name])
        if here == parts.get(name):
            continue
        if sha256({**content, "parts": {**parts, name: here}}) != document.get("sha256"):
            found = list(altered(name, sources[name], str(marks.get(name, ""))))
            changed += found or [Difference(name, f"SHA-256 {parts.get(name)}", here)]
    if changed:
        yield from changed
        return
    try:
        inputs = Inputs.from_json(document["inputs"])
        manifest = Manifest.from_json(document["manifest"])
        computed = as_json(score(inputs))
        remarks_from_json(document.get("remarks", {}), inputs)
        pairs = document.get("pairs")
        comparisons = compared(Choices.from_json(pairs), inputs) if pairs else None
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        yield Difference("inputs", "inputs that give a score", f"{type(error).__name__}: {error}")
        return
    for place in broken_chains(manifest, inputs.release_sha256, inputs.outputs, inputs.unreleased):
        yield Difference(*place)
    rebuilt = assemble(
        document["made_with"],
        document["manifest"],
        document["inputs"],
        computed,
        document.get("remarks"),
        pairs,
        comparisons,
    )
    yield from _differences("", dict(document), rebuilt)


def _differences(path: str, found: Any, expected: Any) -> Iterator[Difference]:
    if found == expected and type(found) is type(expected):
        return
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted(set(found) | set(expected)):
            yield from _differences(
                f"{path}.{key}" if path else key, found.get(key, _ABSENT), expected.get(key, _ABSENT)
            )
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for at, pair in enumerate(zip(found, expected, strict=True)):
            yield from _differences(f"{path}[{at}]", *pair)
    elif (wanted := _said(expected)) != (has := _said(found)):
        at = max(0, _first_difference(wanted, has) - _BEFORE)
        yield Difference(path, _window(wanted, at), _window(has, at))


_ABSENT = object()
_BEFORE, _SHOWN = 20, 100  # characters shown of a long value, and how many of them before the difference


def _said(value: Any) -> str:
    return "nothing" if value is _ABSENT else canonical(value).decode()


def _window(text: str, at: int) -> str:
    if len(text) <= _SHOWN:
        return text
    return f"{'…' if at else ''}{text[at : at + _SHOWN]}{'…' if at + _SHOWN < len(text) else ''}"


def _first_difference(one: Sequence[Any], other: Sequence[Any]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, pair in pairs if pair[0] != pair[1]), min(len(one), len(other)))


def read_file(path: Path) -> bytes:
    """Raises Refused when the file cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", code="no_file") from error


def hash_of(path: Path) -> str:
    """The SHA-256 of a file. Raises Refused when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", code="no_file") from error
