"""Archives as files: read one by one by a `Reader`, an archive of archives as what is in it."""

import hashlib
import shutil
from pathlib import Path
from tempfile import mkdtemp

from construction.reading.process import MOST_BYTES, Reader, Submitted, unpacked

# What an archive of archives looks like to somebody who expects one source.
_PERHAPS_OUTER = frozenset({"no_tex", "pdf_only", "too_large", "too_many_files", "unknown"})


def read_file(reader: Reader, name: str, path: Path, folder: Path, *, inner: bool) -> Submitted | list[Path]:
    """What the file at `path` holds; of an archive of archives, these, unpacked in a new folder below `folder`."""
    size = path.stat().st_size
    if size <= MOST_BYTES:
        content = path.read_bytes()
        submitted = reader.submitted(name, content, hashlib.sha256(content).hexdigest())
        if submitted.code not in _PERHAPS_OUTER or not submitted.form.endswith(("tar", "zip", "unknown")):
            return submitted
    else:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        reason = f"The archive has more than {MOST_BYTES // 1_000_000} MB."
        submitted = Submitted(name, "unknown", digest, "too_large", reason)
    place = Path(mkdtemp(dir=folder))
    found = unpacked(path, place)
    if found and not inner:
        return [place / one for one in found]
    shutil.rmtree(place, ignore_errors=True)
    if found is not None:
        reason = "It is an archive of archives within another one."
        return Submitted(name, submitted.form, submitted.sha256, "nested", reason)
    return submitted
