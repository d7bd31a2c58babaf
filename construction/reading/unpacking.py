"""The process that unpacks an archive of archives: a request on standard input, the paths on standard output."""

import json
import os
import resource
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from benchmark.importing.archives import unpack, unpack_tar
from benchmark.importing.records import RecordError

PACKED = (".gz", ".tgz", ".tar", ".zip")
SUBMITTED = (*PACKED, ".pdf")  # arXiv keeps papers without a source as PDF
MOST = 20_000
MOST_BYTES = 4_000_000_000
_LARGEST = 64_000_000  # one file, a little more than an archive may have
_TEX = (".tex", ".ltx", ".latex")


def main() -> None:
    request = json.load(sys.stdin)
    seconds, memory = request["limits"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST, _LARGEST))
    sys.stdout.write(json.dumps({"archives": archives(Path(request["archive"]), Path(request["folder"]))}))


def archives(archive: Path, folder: Path) -> list[str] | None:
    """The paths below the folder of what was unpacked; None for an archive that has no archives, or has LaTeX."""
    is_zip = zipfile.is_zipfile(archive)
    try:
        if is_zip:
            with zipfile.ZipFile(archive) as packed:
                members = packed.namelist()
        else:
            with tarfile.open(archive, "r|*") as packed_tar:
                members = [member.name for member in packed_tar]
        names = [PurePosixPath(name).name.lower() for name in members]
        if any(name.endswith(_TEX) for name in names) or not any(name.endswith(PACKED) for name in names):
            return None
        if is_zip:
            unpack(archive, folder, tree=True, most_members=MOST, most_bytes=MOST_BYTES)
        else:
            unpack_tar(archive, folder, most_members=MOST, most_bytes=MOST_BYTES)
    except (RecordError, tarfile.TarError, zipfile.BadZipFile, OSError, EOFError, ValueError):
        return None
    found = [Path(place, name) for place, _, files in os.walk(folder) for name in files]
    paths = [path.relative_to(folder).as_posix() for path in found if path.suffix.lower() in SUBMITTED]
    return sorted(paths)


if __name__ == "__main__":
    main()
