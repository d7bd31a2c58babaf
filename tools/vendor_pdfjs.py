"""Fetches pdf.js from the npm registry into static/vendor: python tools/vendor_pdfjs.py 6.5.438

Needs npm for the download only; the result is committed. See docs/vendoring.md. Left out: its viewer, scripting, the
second worker, WebAssembly (scripts do the same under a strict policy), source maps.
"""

import argparse
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).resolve().parent.parent / "static" / "vendor"
WANTED = re.compile(
    r"LICENSE|build/pdf(?:\.worker)?\.min\.mjs|cmaps/.+|standard_fonts/.+"
    r"|wasm/(?:(?:jbig2|openjpeg)_nowasm_fallback\.js|LICENSE_(?:PDFJS_)?(?:JBIG2|OPENJPEG))"
)


def download(version: str, folder: Path) -> Path:
    """The npm package as a tar file."""
    command = [shutil.which("npm") or "npm", "pack", f"pdfjs-dist@{version}", "--silent"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # nosec B603 # npm, a pinned name
    return folder / f"pdfjs-dist-{version}.tgz"


def unpack(archive: Path, target: Path) -> None:
    """Writes the wanted regular files under our own names; nothing else of the archive."""
    with tarfile.open(archive) as package:
        for member in package:
            name = member.name.removeprefix("package/")
            content = package.extractfile(member) if member.isfile() and WANTED.fullmatch(name) else None
            if content is not None and ".." not in name:
                path = target / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="an exact version, such as 6.5.438")
    version = parser.parse_args().version
    with tempfile.TemporaryDirectory() as folder:
        unpack(download(version, Path(folder)), VENDOR / f"pdfjs-{version}")


if __name__ == "__main__":
    main()
