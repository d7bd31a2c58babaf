"""The child process that every foreign file passes: one file in, its clean copy out. Knows no Django.

    python -m benchmark.files.child < upload > answer

The answer is a line of JSON (`Cleaned` without its data, or {"refusal": words}) and then the bytes of the copy. Limits
are set before any library is loaded: pdfium ends by an abort where memory is refused, and that must end nothing else.
"""

import json
import resource
import sys
from dataclasses import asdict, dataclass, field

ADDRESS_BYTES = 420 * 1024**2  # the libraries alone reserve most of 350 MB
DATA_BYTES = (
    160 * 1024**2
)  # of what a process can write to; with code and files of libraries it stays below 200 MB
CPU_SECONDS = 4
MAX_WORDS = 3_000_000


@dataclass
class Cleaned:
    """`pages`: width and height of each as it is shown, in points for a PDF, followed by the edges of its box (left,
    bottom, right, top), which the page may be turned in; in pixels for an image. `words`: the text of each
    page as a machine reads it, what cannot be seen included. `kept`: other words that the copy still has, titles of the
    outline and names of glyphs. `dropped`: words of the upload that the copy does not have, such as its metadata."""

    data: bytes
    kind: str
    pages: list[tuple[float, ...]]
    words: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


def main() -> None:
    """Clean the file from standard input."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    from benchmark.files.refused import Unreadable

    data = sys.stdin.buffer.read()
    try:
        cleaned = clean(data)
    except Unreadable as refusal:
        sys.stdout.buffer.write(json.dumps({"refusal": str(refusal)}).encode() + b"\n")
        return
    head = asdict(cleaned)
    del head["data"]
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + cleaned.data)


def clean(data: bytes) -> Cleaned:
    """The clean copy of a PDF, PNG or JPEG; raises Unreadable."""
    from benchmark.files.refused import Unreadable

    if data.startswith(b"%PDF-"):
        from benchmark.files.pdf import clean_pdf

        return clean_pdf(data)
    if data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")):
        from benchmark.files.images import clean_image

        return clean_image(data)
    raise Unreadable("This is no PDF, PNG or JPEG file: its first bytes say otherwise.")


if __name__ == "__main__":
    main()
