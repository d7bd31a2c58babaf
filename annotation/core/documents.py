"""The rendered form of parts: blocks with stable ids, safe HTML and source."""

from accounts.refusal import Refused
from annotation.core.material import Material, ShownProof
from benchmark.protocol import Part
from benchmark.rendering.stored import Rendered, rendered_all
from benchmark.steps import Step, steps_of


def documents(shown: Material) -> list[Rendered]:
    """The rendered documents of all parts in order, with one query; a text that waits to be rendered among them.

    What comments are anchored to has the prefix of its proof; every other part has one of its own, because all of them
    are on one page. Each document is rendered by itself, so none sees another's macros.
    """
    return rendered_all(texts(shown))


def texts(shown: Material) -> list[tuple[str, str, str]]:
    """What `documents` renders: each part with its format and prefix."""
    wanted: list[tuple[Part, str]] = []
    for part in shown.instance_parts:
        wanted.append((part, f"part{len(wanted) + 1}-"))
    for proof in shown.proofs:
        for number, part in enumerate(proof.parts):
            wanted.append((part, f"part{len(wanted) + 1}-" if number else proof.prefix))
    return [(part.text, part.text_format, prefix) for part, prefix in wanted]


def anchored_documents(shown: Material) -> list[tuple[ShownProof, Rendered]]:
    """The texts that comments are anchored to."""
    anchored = [(proof.anchored.text, proof.anchored.text_format, proof.prefix) for proof in shown.proofs]
    return list(zip(shown.proofs, rendered_all(anchored), strict=True))


def anchors(shown: Material) -> tuple[dict[str, int], tuple[Step, ...]]:
    """What answers may name: the length of every block's source by block id, and the steps of a single proof.

    Raises Refused (code "being_prepared") while a text waits to be rendered.
    """
    shown_documents = [document for _, document in anchored_documents(shown)]
    if any(document.waiting for document in shown_documents):
        raise Refused(
            "The text is still being prepared for reading; what you have written is kept. Try again in a moment.",
            code="being_prepared",
        )
    lengths = {block.id: len(block.source) for document in shown_documents for block in document.blocks}
    return lengths, steps_of(shown_documents[0].blocks) if len(shown_documents) == 1 else ()
