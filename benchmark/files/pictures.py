"""Attached pictures in the texts that show them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from benchmark.identities.redaction import MARK
from benchmark.models import Attachment, FileKind, Instance, Output
from benchmark.protocol import Part
from benchmark.protocols import get_protocol
from benchmark.rendering.stored import Rendered
from latex.pictures import NUMBERS, Picture, picture_names, with_numbers, with_pictures

CONVERTED = "-eps-converted-to"


def pictures_shown(subject: Output | Instance) -> list[str]:
    """What the texts of an output or instance call the pictures that they show."""
    if isinstance(subject, Output):
        protocol = get_protocol(subject.run.release.benchmark.protocol)
        parts = protocol.output_parts(subject.payload, subject.text, subject.text_format)
    else:
        protocol = get_protocol(subject.release.benchmark.protocol)
        parts = protocol.instance_parts(subject.payload)
    names = [name for part in parts for name in picture_names(part.text, part.text_format)]
    return list(dict.fromkeys(names))


def called(paths: Iterable[str], names: Iterable[str]) -> set[str]:
    """The paths of files that a text means by one of these names."""
    by_last: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        by_last[PurePosixPath(name).name].append(name)
    return {
        path
        for path in paths
        if any(is_called(path, name) for last in _last_parts(path) for name in by_last.get(last, ()))
    }


def is_called(path: str, name: str) -> bool:
    """Whether a text that shows a picture by this name means the file, as far as both say in what folder it is."""
    file, wanted = PurePosixPath(path.rpartition(": ")[2]), PurePosixPath(name)
    for last in _last_parts(path):
        folders, own = [*file.parts[:-1], last], [part for part in wanted.parts if part != "."]
        length = min(len(folders), len(own))
        if length and folders[-length:] == own[-length:]:
            return True
    return False


def _last_parts(path: str) -> set[str]:
    """What the last part of a name can be that means this file."""
    file = PurePosixPath(path.rpartition(": ")[2])
    return {file.name, file.stem, file.stem.removesuffix(CONVERTED)}


def numbered(part: Part, files: Iterable[Attachment]) -> Part:
    """The part with the numbers of its pictures in place of their names, whole or redacted."""
    numbers: dict[str, int] = {}
    for file in files:
        if file.copy.kind == FileKind.IMAGE and file.number <= len(NUMBERS):
            for name in file.shown_as or ():
                numbers.setdefault(name, file.number)
    for name in picture_names(part.text, part.text_format) if numbers else ():
        if MARK in name and len(meant := {numbers[one] for one in numbers if _is_redacted(one, name)}) == 1:
            numbers[name] = meant.pop()
    if not numbers or part.text_format == "plain":
        return part
    return replace(part, text=with_numbers(part.text, numbers))


def _is_redacted(name: str, left: str) -> bool:
    """Whether `left` is what a redaction left of the name of a picture, which no reader of the number sees anyway."""
    first, *middle, last = left.split(MARK)
    at = len(first)
    for part in middle:
        found = name.find(part, at + 1)
        if found < 0:
            return False
        at = found + len(part)
    return name.startswith(first) and name.endswith(last) and at < len(name) - len(last)


def illustrated(document: Rendered, pictures: Mapping[int, Picture]) -> Rendered:
    """A rendered text with its pictures in their places."""
    if not pictures:
        return document
    blocks = tuple(replace(block, html=with_pictures(block.html, pictures)) for block in document.blocks)
    return replace(document, blocks=blocks)


def pictures_of(files: Iterable[Attachment], address: Callable[[Attachment], str]) -> dict[int, Picture]:
    """The pictures among the files by the numbers that texts give them."""
    return {
        file.number: Picture(address(file), tuple(file.copy.pages[0]), f"Picture {file.number}")
        for file in files
        if file.copy.kind == FileKind.IMAGE
    }
