"""Fetches KaTeX from the npm registry into static/vendor: python tools/vendor_katex.py 0.19.1

Needs npm for the download only; the result is committed. See docs/vendoring.md.
"""

import argparse
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).resolve().parent.parent / "static" / "vendor"
FILES = ("dist/katex.min.js", "dist/katex.min.css", "LICENSE")
OTHER_FONT_FORMATS = re.compile(r',url\(fonts/[^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')


def download(version: str, folder: Path) -> Path:
    """The npm package as a tar file."""
    command = [shutil.which("npm") or "npm", "pack", f"katex@{version}", "--silent"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # nosec B603 # npm, a pinned name
    return folder / f"katex-{version}.tgz"


def wanted(name: str) -> bool:
    return name in FILES or (name.startswith("dist/fonts/") and name.endswith(".woff2"))


def unpack(archive: Path, target: Path) -> None:
    """Writes the wanted regular files under our own names; nothing else of the archive."""
    with tarfile.open(archive) as package:
        for member in package:
            name = member.name.removeprefix("package/")
            content = package.extractfile(member) if member.isfile() and wanted(name) else None
            if content is not None:
                path = target / ("fonts" if "fonts/" in name else ".") / Path(name).name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


def keep_woff2_only(stylesheet: Path) -> None:
    """The stylesheet names two older formats per font that are not shipped; hashed static files need them gone."""
    stylesheet.write_text(
        OTHER_FONT_FORMATS.sub("", stylesheet.read_text(encoding="utf-8")), encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="an exact version, such as 0.19.1")
    version = parser.parse_args().version
    target = VENDOR / f"katex-{version}"
    with tempfile.TemporaryDirectory() as folder:
        unpack(download(version, Path(folder)), target)
    keep_woff2_only(target / "katex.min.css")


if __name__ == "__main__":
    main()
