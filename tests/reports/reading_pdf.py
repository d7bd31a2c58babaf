"""Reading printed reports back."""

import shutil
import subprocess
from pathlib import Path


def text_of(path: Path, *options: str) -> str:
    """What a reader can copy from the file, single spaces; options are pdftotext's."""
    assert shutil.which("pdftotext"), "poppler-utils is needed to read a PDF back"
    command = ["pdftotext", *options, str(path), "-"]
    return " ".join(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
