"""An instance with the outputs of all systems, rendered, for those who run the study."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.urls import reverse

from benchmark.files.pictures import illustrated, numbered, pictures_of
from benchmark.files.queries import files_of, load_files
from benchmark.models import Attachment, Instance, Output, OutputState
from benchmark.protocols import get_protocol
from benchmark.rendering.stored import Rendered, rendered_all


@dataclass(frozen=True)
class ShownPart:
    """A titled part with its rendered text."""

    title: str
    collapsed: bool
    document: Rendered


@dataclass(frozen=True)
class ShownOutput:
    """An output with its parts, none if it was not answered, and facts about it that graders do not get."""

    output: Output
    parts: tuple[ShownPart, ...]
    facts: Mapping[str, str]
    files: tuple[Attachment, ...] = ()

    @property
    def unreadable(self) -> list[dict[str, object]]:
        """The formulas that are shown as source."""
        return [failure for part in self.parts for failure in part.document.report["failures"]]


@dataclass(frozen=True)
class ShownInstance:
    """What the page of an instance prints."""

    parts: tuple[ShownPart, ...]
    outputs: tuple[ShownOutput, ...]
    files: tuple[Attachment, ...] = ()


def show_instance(instance: Instance, outputs: Iterable[Output]) -> ShownInstance:
    """The instance and its outputs as a grader would see them, rendered at one go, with facts for staff."""
    protocol = get_protocol(instance.release.benchmark.protocol)
    rows = list(outputs)
    load_files(rows, named=True)
    load_files([instance], named=True)
    files = [tuple(files_of(instance)), *(tuple(files_of(row)) for row in rows)]
    groups = [list(protocol.instance_parts(instance.payload))]
    for row in rows:
        answered = row.state == OutputState.ANSWERED
        parts = protocol.output_parts(row.payload, row.text, row.text_format) if answered else ()
        groups.append(list(parts))
    groups = [[numbered(part, own) for part in group] for group, own in zip(groups, files, strict=True)]
    texts = [
        (part.text, part.text_format, f"d{column}-{place}-")  # ids that stay apart on one page
        for column, group in enumerate(groups)
        for place, part in enumerate(group)
    ]
    documents = iter(rendered_all(texts))
    shown = []
    for group, own in zip(groups, files, strict=True):
        pictures = pictures_of(own, lambda file: reverse("attachment", args=[instance.release.name, file.pk]))
        shown.append(
            tuple(
                ShownPart(part.title, part.collapsed, illustrated(next(documents), pictures))
                for part in group
            )
        )
    facts = [protocol.staff_facts(row.payload) if protocol.staff_facts else {} for row in rows]
    return ShownInstance(shown[0], tuple(map(ShownOutput, rows, shown[1:], facts, files[1:])), files[0])
