"""Several printed parts as one PDF: front in Roman numbers, then items, with bookmarks and a linked list."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, NameObject, NullObject

LINK = "item:"  # addresses of this form in the front lead to the item of that number


@dataclass
class JoinedReport:
    """Parts as they come. `starts` says on which page of the items, counted from 1, an item starts."""

    title: str
    writer: PdfWriter = field(default_factory=PdfWriter)
    pages: int = 0
    starts: dict[int, int] = field(default_factory=dict)

    def add(self, content: bytes, places: Mapping[int, int]) -> None:
        """Append printed items; `places` says on which page of this part an item starts."""
        self.writer.append(io.BytesIO(content), import_outline=False)
        self.starts |= {item: self.pages + page for item, page in places.items()}
        self.pages = len(self.writer.pages)

    def write(self, path: Path, front: bytes, titles: Mapping[int, str]) -> int:
        """Put the front before the items and write the file; returns its pages."""
        front_pages = len(PdfReader(io.BytesIO(front)).pages)
        self.writer.merge(0, io.BytesIO(front), import_outline=False)
        for number, start in self.starts.items():
            self.writer.add_outline_item(
                title=f"{number}  {titles[number]}", page_number=front_pages + start - 1
            )
        self.writer.set_page_label(0, front_pages - 1, style=PageLabelStyle.LOWERCASE_ROMAN)
        if self.pages:
            self.writer.set_page_label(
                front_pages, front_pages + self.pages - 1, style=PageLabelStyle.DECIMAL, start=1
            )
        self._link(front_pages)
        self.writer.add_metadata({"/Title": self.title, "/Creator": "Touchstone"})
        self.writer.compress_identical_objects(remove_duplicates=True, remove_unreferenced=False)
        self.writer.write(path)
        return front_pages + self.pages

    def _link(self, front_pages: int) -> None:
        for page in self.writer.pages[:front_pages]:
            for annotation in (reference.get_object() for reference in page.get("/Annots", ArrayObject())):
                address = str(annotation.get("/A", {}).get("/URI", ""))
                number = address.removeprefix(LINK)
                if address.startswith(LINK) and number.isdecimal() and int(number) in self.starts:
                    target = self.writer.pages[front_pages + self.starts[int(number)] - 1]
                    del annotation["/A"]
                    annotation[NameObject("/Dest")] = ArrayObject(
                        [
                            target.indirect_reference,
                            NameObject("/XYZ"),
                            NullObject(),
                            NullObject(),
                            NullObject(),
                        ]
                    )
