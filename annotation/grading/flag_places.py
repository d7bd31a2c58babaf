"""Where flags of leakage can mark text: every block of the problem and of the answers."""

from annotation.core.documents import documents
from annotation.core.material import Material
from annotation.grading.leakage import FlagPlace


def flag_places(shown: Material) -> dict[str, FlagPlace]:
    """Every block that is shown, by id."""
    rendered = iter(documents(shown))
    places = []
    for part in shown.instance_parts:
        for block in next(rendered).blocks:
            places.append(FlagPlace(block.id, "instance", part.title, block.source))
    for proof in shown.proofs:
        for part in proof.parts:
            for block in next(rendered).blocks:
                places.append(FlagPlace(block.id, proof.subject, part.title, block.source, proof.side))
    return {place.block: place for place in places}
