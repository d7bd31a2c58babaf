"""Fetches KaTeX or pdf.js from the npm registry into static/vendor: python tools/vendor.py katex 0.19.1

Needs npm for the download only; the result is committed. See docs/vendoring.md. Left out of pdf.js: its viewer,
scripting, the second worker, WebAssembly (scripts do the same under a strict policy), source maps.
"""

import argparse
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).resolve().parent.parent / "static" / "vendor"
PACKAGES = {
    "katex": ("katex", re.compile(r"LICENSE|dist/katex\.min\.(?:js|css)|dist/fonts/.+\.woff2")),
    "pdfjs": (
        "pdfjs-dist",
        re.compile(
            r"LICENSE|build/pdf(?:\.worker)?\.min\.mjs|cmaps/.+|standard_fonts/.+"
            r"|wasm/(?:(?:jbig2|openjpeg)_nowasm_fallback\.js|LICENSE_(?:PDFJS_)?(?:JBIG2|OPENJPEG))"
        ),
    ),
}
OTHER_FONT_FORMATS = re.compile(r',url\(fonts/[^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')


def download(package: str, version: str, folder: Path) -> Path:
    """The npm package as a tar file."""
    command = [shutil.which("npm") or "npm", "pack", f"{package}@{version}", "--silent"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # nosec B603 # npm, a pinned name
    return folder / f"{package}-{version}.tgz"


def unpack(archive: Path, wanted: re.Pattern[str], target: Path) -> None:
    """Writes the wanted regular files; nothing else of the archive."""
    with tarfile.open(archive) as package:
        for member in package:
            name = member.name.removeprefix("package/")
            content = package.extractfile(member) if member.isfile() and wanted.fullmatch(name) else None
            if content is not None and ".." not in name:
                path = target / name.removeprefix("dist/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


def keep_woff2_only(stylesheet: Path) -> None:
    """The stylesheet names two older formats per font that are not shipped; hashed static files need them gone."""
    stylesheet.write_text(
        OTHER_FONT_FORMATS.sub("", stylesheet.read_text(encoding="utf-8")), encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=PACKAGES)
    parser.add_argument("version", help="an exact version, such as 0.19.1")
    asked = parser.parse_args()
    package, wanted = PACKAGES[asked.name]
    target = VENDOR / f"{asked.name}-{asked.version}"
    with tempfile.TemporaryDirectory() as folder:
        unpack(download(package, asked.version, Path(folder)), wanted, target)
    if asked.name == "katex":
        keep_woff2_only(target / "katex.min.css")


if __name__ == "__main__":
    main()
