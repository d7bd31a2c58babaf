"""What a grader is shown: the protocol's parts of instance and output, and nothing of their origin."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from accounts.domains import domain_words
from annotation.models import Item
from benchmark.protocol import Part
from benchmark.protocols import get_protocol
from benchmark.queries import shown_content
from latex.visible import visible


@dataclass(frozen=True)
class Material:
    """The parts in order; comments are anchored to the first output part."""

    title: str
    domain: str
    instance_parts: tuple[Part, ...]
    output_parts: tuple[Part, ...]

    @property
    def anchored(self) -> Part:
        return self.output_parts[0]

    @property
    def sha256(self) -> str:
        """Fingerprint of everything shown; a grade keeps it, so that it is known what was graded."""
        return _digest([self.title, *map(asdict, (*self.instance_parts, *self.output_parts))])


def _digest(value: Sequence[object]) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def problem_title(payload: object, fallback: str) -> str:
    """The problem's own title if its protocol gives one."""
    title = payload.get("title") if isinstance(payload, dict) else None
    return str(title) if title else fallback


def material(item: Item) -> Material:
    """The material of an item: instance and output only, no run, no system, and nothing unseen on paper."""
    instance, output = item.instance, item.output
    payload, text = shown_content(output)
    protocol = get_protocol(item.campaign.release.benchmark.protocol)
    return Material(
        title=problem_title(instance.payload, f"Problem {instance.key}"),
        domain=domain_words(instance.domain),
        instance_parts=tuple(protocol.instance_parts(instance.payload)),
        output_parts=tuple(
            replace(part, text=visible(part.text, part.text_format))
            for part in protocol.output_parts(payload, text, output.text_format)
        ),
    )
