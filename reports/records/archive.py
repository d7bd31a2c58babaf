"""The archive of a record: one ZIP, equal files give equal bytes; and its verification without this site.

`SHA256SUMS` names every other file in the form that `sha256sum --check` reads.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from accounts.refusal import Refused
from benchmark.subjects import Subject
from canonical import canonical_json
from reports.artifact.fingerprints import Difference
from reports.artifact.manifest import Manifest
from reports.artifact.verification import Verification, read_artifact, verify_file
from reports.comparison.choices import Choices
from reports.records.tables import choices_csv, comments_csv, labels_csv, verdicts_csv
from reports.scores.inputs import Inputs

SUMS = "SHA256SUMS"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that ZIP knows
MAX_BYTES = 4 * 1024**3  # unpacked
_CHUNK = 1024 * 1024


def sums(files: Mapping[str, bytes]) -> bytes:
    lines = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return "".join(lines).encode()


def archive(folder: str, files: Mapping[str, bytes]) -> bytes:
    """The files below one folder, by name, with their checksums."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for name, content in sorted({**files, SUMS: sums(files)}.items()):
            entry = zipfile.ZipInfo(f"{folder}/{name}", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)
    return made.getvalue()


def is_archive(content: bytes) -> bool:
    return content.startswith(b"PK\x03\x04")


def artifact_in(content: bytes) -> bytes:
    """The artifact of a record's archive that was verified."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.read(next(name for name in packed.namelist() if name.endswith("/artifact.json")))


def verify_archive(content: bytes) -> Verification:
    """Check every file's hash, recompute the score, and compare labels, verdicts, comments and texts with the artifact.

    Raises Refused when it is not the archive of a record.
    """
    try:
        packed = zipfile.ZipFile(io.BytesIO(content))
        with packed:
            return _verified(packed)
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        ValueError,  # a place before the beginning of the file
    ) as error:
        raise Refused(f"The archive cannot be read: {error}", code="not_an_archive") from error


def _verified(packed: zipfile.ZipFile) -> Verification:
    entries = [entry for entry in packed.infolist() if not entry.is_dir()]
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise Refused("The archive is larger than 4 GB unpacked.", code="too_large")
    folders = {entry.filename.partition("/")[0] for entry in entries}
    names = [entry.filename.partition("/")[2] for entry in entries]
    if len(folders) != 1 or len(set(names)) != len(names) or not {SUMS, "artifact.json"} <= set(names):
        raise Refused(
            f"This is not the archive of a record: it needs one folder with {SUMS} and artifact.json.",
            code="not_an_archive",
        )
    files = dict(zip(names, entries, strict=True))
    listed = {}
    for number, line in enumerate(packed.read(files[SUMS]).decode("utf-8", "replace").splitlines(), start=1):
        sha256, _, name = line.partition("  ")
        if not name or len(sha256) != 64:
            raise Refused(f"{SUMS}, line {number}: expected a hash, two blanks and a name.", code="not_sums")
        listed[name] = sha256
    differences = [Difference(name, "a file", "none") for name in sorted(listed.keys() - files.keys())]
    differences += [
        Difference(name, f"a line of {SUMS}", "none")
        for name in sorted(files.keys() - listed.keys() - {SUMS})
    ]
    for name in sorted(listed.keys() & files.keys()):
        digest = hashlib.sha256()
        with packed.open(files[name]) as stream:
            while part := stream.read(_CHUNK):
                digest.update(part)
        if (found := digest.hexdigest()) != listed[name]:
            differences.append(Difference(name, f"SHA-256 {listed[name]}", found))
    raw = packed.read(files["artifact.json"])
    checked = verify_file(raw)
    differences += checked.differences
    if not differences:
        # what does not follow from the artifact although all checksums are right
        document = read_artifact(raw)
        inputs = Inputs.from_json(document["inputs"])
        pairs, remarks = document.get("pairs"), document.get("remarks")
        follow = {
            "labels.csv": labels_csv(inputs),
            "verdicts.csv": verdicts_csv(inputs) if inputs.votes else None,
            "choices.csv": choices_csv(Choices.from_json(pairs), inputs) if pairs else None,
            "comments.csv": comments_csv(remarks) if remarks else None,
        }
        for name, expected in follow.items():
            if name not in files:
                if expected is not None:
                    differences.append(Difference(name, "the rows of the artifact", "no file"))
            elif expected is None:
                differences.append(Difference(name, "no file", "rows that the artifact does not have"))
            elif packed.read(files[name]) != expected:
                differences.append(Difference(name, "the rows of the artifact", "others"))
        differences += _of_texts(packed, files, inputs, Manifest.from_json(document["manifest"]))
    return Verification(checked.sha256, tuple(differences), checked.notes)


def _of_texts(
    packed: zipfile.ZipFile, files: Mapping[str, zipfile.ZipInfo], inputs: Inputs, manifest: Manifest
) -> Iterator[Difference]:
    """Texts that are not those of the artifact, and texts left out.

    Where a problem may be read, so may all answers to it. Since methods 7 a record names no hash of an answer that
    it does not show: every answer with a hash is there.
    """
    keys = {row.sha256: row.key for row in manifest.instances}
    problems: set[str] = set()
    for place, line in _lines(packed, files, "problems.jsonl"):
        key = keys.get(hashlib.sha256(line).hexdigest())
        if key is None:
            yield Difference(place, "a problem of the artifact", "another one")
        elif key in problems:
            yield Difference(place, "every problem once", f"{key} again")
        else:
            problems.add(key)
    answers = {row.subject: row for row in inputs.outputs}
    found: set[str] = set()
    for place, line in _lines(packed, files, "answers.jsonl"):
        try:
            answer = json.loads(line)
            is_canonical = (
                canonical_json(answer) == line
            )  # no key twice, of which readers take one or the other
            system = answer.pop("system")
            answered = Subject(answer["instance"], system, answer["attempt"], inputs.track, inputs.condition)
            sha256 = hashlib.sha256(canonical_json(answer)).hexdigest()
        except (ValueError, TypeError, AttributeError, KeyError):
            yield Difference(place, "an answer", "something else")
            continue
        subject = str(answered)
        if not is_canonical or subject not in answers or answers[subject].sha256 != sha256:
            yield Difference(place, f"the answer {subject} of the artifact", "another one")
        elif subject in found:
            yield Difference(place, "every answer once", f"{subject} again")
        found.add(subject)
    hides_hashes = inputs.methods >= 7 or not all(row.sha256 for row in inputs.outputs)
    shown = {row.instance for row in inputs.outputs if hides_hashes and row.sha256}
    shown |= {answers[subject].instance for subject in found & answers.keys()}
    if "answers.jsonl" in files:
        shown |= problems
    for row in inputs.outputs:
        if row.instance in shown and row.subject not in found:
            yield Difference("answers.jsonl", f"the answer {row.subject}", "none")
    if "problems.jsonl" in files:
        for key in sorted(shown - problems):
            yield Difference("problems.jsonl", f"the problem {key}", "none")


def _lines(
    packed: zipfile.ZipFile, files: Mapping[str, zipfile.ZipInfo], name: str
) -> Iterator[tuple[str, bytes]]:
    """Each line of a file with its place; none where there is no such file."""
    if name in files:
        with packed.open(files[name]) as stream:
            for number, line in enumerate(stream, start=1):
                yield f"{name}, line {number}", line.rstrip(b"\n")
