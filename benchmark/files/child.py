"""The child process that every foreign file passes: one file in, its clean copy out. Knows no Django.

    (echo clean; cat upload) | python -m benchmark.files.child > answer

The answer is a line of JSON (`Cleaned` without its data, or {"refusal": words}) and then the bytes of the copy. Limits
are set before any library is loaded: pdfium ends by an abort where memory is refused, and that must end nothing else.

The other verbs: `picture` is `clean` for a figure of a text, which is an image even if it came as a PDF; `marks` reads
the annotations of a PDF (`FoundMarks`); `marked` gets a line of JSON with annotations, then a PDF, and writes them.
"""

import json
import resource
import sys
from dataclasses import asdict, dataclass, field

ADDRESS_BYTES = 420 * 1024**2  # the libraries alone reserve most of 350 MB
DATA_BYTES = (
    160 * 1024**2
)  # of what a process can write to; with code and files of libraries it stays below 200 MB
CPU_SECONDS = 8
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


Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True)
class Mark:
    """An annotation of a PDF. `rects`: left, bottom, right, top in points of its page. `on_words`: whether it marks
    words, which are `quote`, between `prefix` and `suffix`; otherwise a region. `text` is what it says, if anything,
    `subject` what kind of remark that is. `author` is written, never read: it would name a referee."""

    page: int
    rects: tuple[Rectangle, ...]
    on_words: bool
    text: str
    subject: str = ""
    quote: str = ""
    prefix: str = ""
    suffix: str = ""
    author: str = ""


@dataclass(frozen=True)
class FoundMarks:
    """The words of each page, the marks in the order of the pages, and how many could not be used."""

    words: list[str]
    marks: list[Mark]
    unusable: int = 0


def main() -> None:
    """Do what the first line of standard input says with the file that follows."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    from benchmark.files.refused import Unreadable

    verb, data = sys.stdin.buffer.readline().strip(), sys.stdin.buffer.read()
    head: dict[str, object] = {}
    body = b""
    try:
        if verb == b"marks":
            from benchmark.files.marks import read_marks

            head = asdict(read_marks(data))
        elif verb == b"marked":
            from benchmark.files.marks import write_marks

            marks, _, pdf = data.partition(b"\n")
            body = write_marks(pdf, [Mark(**mark) for mark in json.loads(marks)])
        else:
            cleaned = clean(data, picture=verb == b"picture")
            head, body = asdict(cleaned), cleaned.data
            del head["data"]
    except Unreadable as refusal:
        head = {"refusal": str(refusal)}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n")
    sys.stdout.buffer.write(body)  # by itself: together they would be copied once more


def clean(data: bytes, *, picture: bool = False) -> Cleaned:
    """The clean copy of a PDF, PNG or JPEG; with `picture` of a PDF of one page as an image. Raises Unreadable."""
    from benchmark.files.refused import Unreadable

    if data.startswith(b"%PDF-"):
        from benchmark.files.pdf import clean_pdf

        copy = clean_pdf(data)
        if not picture or len(copy.pages) > 1:
            return copy
        from benchmark.files.images import drawn

        return drawn(copy)
    if data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")):
        from benchmark.files.images import clean_image

        return clean_image(data)
    raise Unreadable("This is not a PDF, PNG or JPEG file: its first bytes say otherwise.")


if __name__ == "__main__":
    main()
