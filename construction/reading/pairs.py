"""What people say about which statement a proof proves, in place of what the rules say. Pure.

A pair names a proof by the file and the place where it begins, and its statement the same way; a statement in no file
("") says that the proof proves none. What is not in a source, because another main file is read, is passed over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from latex import Outline, Span

BY_HAND = "by hand"
Pair = tuple[str, int, str, int]  # file and start of the proof, file and start of the statement
Place = tuple[str, int]
NOWHERE: Place = ("", 0)


def with_pairs(found: Outline, pairs: Iterable[Pair]) -> Outline:
    """An outline with these pairs."""

    def begins(span: Span) -> Place:
        places = found.flat.places(span.start, span.end)
        return (places[0].file, places[0].start) if places else NOWHERE

    told = _told(pairs, {begins(one.span): index for index, one in enumerate(found.statements)})
    proofs = [
        replace(one, statement=told[place], evidence=BY_HAND) if (place := begins(one.span)) in told else one
        for one in found.proofs
    ]
    return replace(found, proofs=tuple(proofs))


def document_with_pairs(outline: Mapping[str, Any], pairs: Iterable[Pair]) -> dict[str, object]:
    """The same for an outline that is stored: what the rules say is kept next to it, for when a pair is withdrawn."""
    told = _told(pairs, {begins(one): index for index, one in enumerate(outline["statements"])})
    proofs = []
    for one in outline["proofs"]:
        statement, evidence = one.get("program", (one["statement"], one["evidence"]))
        plain = {name: value for name, value in one.items() if name != "program"}
        if (place := begins(one)) in told:
            plain |= {"statement": told[place], "evidence": BY_HAND, "program": [statement, evidence]}
        else:
            plain |= {"statement": statement, "evidence": evidence}
        proofs.append(plain)
    return dict(outline, proofs=proofs)


def begins(stored: Mapping[str, Any]) -> Place:
    """Where a stored statement or proof begins; NOWHERE if it is in no file."""
    return tuple(stored["places"][0][:2]) if stored["places"] else NOWHERE


def _told(pairs: Iterable[Pair], statements: Mapping[Place, int]) -> dict[Place, int | None]:
    """The index of the statement for each proof of which something is told."""
    return {
        (proof_file, proof_start): statements[file, start] if file else None
        for proof_file, proof_start, file, start in pairs
        if not file or (file, start) in statements
    }
