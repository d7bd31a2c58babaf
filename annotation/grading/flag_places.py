"""Where flags of leakage can mark text: every block of the problem and of the answers."""

from collections.abc import Iterable, Iterator

from annotation.core.documents import documents
from annotation.core.material import Material
from annotation.grading.leakage import Place
from benchmark.rendering.stored import Rendered


def flag_places(shown: Material) -> dict[str, Place]:
    """Every block that is shown, by id."""
    return {place.block: place for place in _places(shown, iter(documents(shown)))}


def _places(shown: Material, rendered: Iterator[Rendered]) -> Iterable[Place]:
    for part in shown.instance_parts:
        for block in next(rendered).blocks:
            yield Place(block.id, "instance", part.title, block.source)
    for proof in shown.proofs:
        for part in proof.parts:
            for block in next(rendered).blocks:
                yield Place(block.id, proof.subject, part.title, block.source, proof.side)
