"""An instance with the outputs of all systems, rendered, for those who run the study."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmark.models import Instance, Output, OutputState
from benchmark.protocol import Part, Protocol
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

    @property
    def unreadable(self) -> list[dict[str, object]]:
        """The formulas that are shown as source."""
        return [failure for part in self.parts for failure in part.document.report["failures"]]


@dataclass(frozen=True)
class ShownInstance:
    """What the page of an instance prints."""

    parts: tuple[ShownPart, ...]
    outputs: tuple[ShownOutput, ...]


def show_instance(instance: Instance, outputs: Iterable[Output]) -> ShownInstance:
    """The instance and its outputs as a grader would see them, rendered at one go, with facts for staff."""
    protocol = get_protocol(instance.release.benchmark.protocol)
    rows = list(outputs)
    texts = [list(protocol.instance_parts(instance.payload)), *(_parts(protocol, row) for row in rows)]
    shown = _shown(texts)
    facts = [protocol.staff_facts(row.payload) if protocol.staff_facts else {} for row in rows]
    return ShownInstance(shown[0], tuple(map(ShownOutput, rows, shown[1:], facts)))


def _parts(protocol: Protocol, output: Output) -> list[Part]:
    if output.state != OutputState.ANSWERED:
        return []
    return list(protocol.output_parts(output.payload, output.text, output.text_format))


def _shown(groups: list[list[Part]]) -> list[tuple[ShownPart, ...]]:
    """All parts rendered, with ids that stay apart on one page."""
    texts = [
        (part.text, part.text_format, f"d{column}-{place}-")
        for column, parts in enumerate(groups)
        for place, part in enumerate(parts)
    ]
    documents = iter(rendered_all(texts))
    return [
        tuple(ShownPart(part.title, part.collapsed, next(documents)) for part in parts) for parts in groups
    ]
