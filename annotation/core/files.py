"""Attached files as pages show them: next to the proof, or in its place."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.http import Http404

from annotation.core.material import Material, ShownFile
from annotation.grading.file_anchors import FilePage
from benchmark.models import CleanCopy, FileKind
from latex.pictures import Picture


@dataclass(frozen=True)
class SheetFile:
    """A file with its title and address. `proof` is the number of the proof that it is shown inside: with the other
    files of a pair's proofs, or in place of a text that there is none of. 0 for a document next to the proof.
    `commented` is the address of a PDF with the comments on it."""

    number: int
    title: str
    kind: str
    address: str
    commented: str
    block: str
    pages: tuple[tuple[float, ...], ...]
    in_text: bool
    proof: int = 0

    @property
    def is_pdf(self) -> bool:
        return self.kind == FileKind.PDF


def sheet_files(
    shown: Material, address: Callable[[ShownFile], str], commented: Callable[[ShownFile], str] = lambda _: ""
) -> tuple[SheetFile, ...]:
    """The files of an item in order. Their titles say what they belong to, never what they were called."""
    groups = [(shown.instance_files, "problem", 0)]
    for place, proof in enumerate(shown.proofs, start=1):
        name = f"{proof.side} proof" if proof.side else "proof"
        groups.append((proof.files, name, place if proof.side or not proof.anchored.text.strip() else 0))
    found = []
    for files, name, inside in groups:
        for kind, noun in ((FileKind.PDF, "PDF"), (FileKind.IMAGE, "Picture")):
            same = [file for file in files if file.kind == kind]
            for place, file in enumerate(same, start=1):
                found.append(
                    SheetFile(
                        number=file.number,
                        title=f"{noun} {place} of the {name}" if len(same) > 1 else f"{noun} of the {name}",
                        kind=file.kind,
                        address=address(file),
                        commented=commented(file) if kind == FileKind.PDF else "",
                        block=file.block,
                        pages=file.pages,
                        in_text=file.in_text,
                        proof=inside,
                    )
                )
    return tuple(found)


def pictures_in(files: Iterable[SheetFile], prefix: str) -> dict[int, Picture]:
    """The pictures that the texts of a proof, or of the problem, show by number; `prefix` is that of their ids."""
    found = {}
    for file in files:
        number = file.block.removeprefix(f"{prefix}file")
        if file.in_text and number.isdecimal():
            found[int(number)] = Picture(file.address, file.pages[0], file.title)
    return found


def copy_or_404(files: Sequence[ShownFile], number: int) -> int:
    """The number of the copy that readers get of the file with this number on the page of an item."""
    if not 1 <= number <= len(files):
        raise Http404
    return files[number - 1].copy


def pdf_or_404(shown: Material, number: int) -> ShownFile:
    """The PDF with this number on the page of an item."""
    found = next((file for file in shown.files if file.number == number), None)
    if found is None or found.kind != FileKind.PDF:
        raise Http404
    return found


def file_pages(shown: Material) -> dict[str, FilePage]:
    """The pages of the item's PDFs by the ids that comments name."""
    pdfs = [file for file in shown.files if file.kind == FileKind.PDF]
    words = dict(CleanCopy.objects.filter(pk__in=[file.copy for file in pdfs]).values_list("pk", "words"))
    return {
        page_id(file.block, number): FilePage(
            number, words[file.copy][number - 1], (left, bottom, right, top), len(file.pages), file.sha256
        )
        for file in pdfs
        for number, (_, _, left, bottom, right, top) in enumerate(file.pages, start=1)
    }


def page_id(block: str, number: int) -> str:
    """What comments on a page are anchored to."""
    return f"{block}-page{number}"
