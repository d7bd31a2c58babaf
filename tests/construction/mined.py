"""Masks and lemmas of the visible sources, and an independent scan of what their proofs refer to."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from benchmark.importing.keys import PaperFields
from benchmark.protocols.lemmas.schema import LemmaLine
from benchmark.protocols.masked_steps.schema import Mask
from construction.recipes.lemmas.assembly import assembled, needed
from construction.recipes.lemmas.contexts import full, lemmas
from construction.recipes.lemmas.recipe import Recipe as LemmaRecipe
from construction.recipes.masked_steps.masks import Candidate, Chosen, candidates, chosen, masked
from construction.recipes.masked_steps.pairs import Closing, Pair, pairs
from construction.recipes.masked_steps.recipe import Recipe
from construction.recipes.passages import Drop, Made, passage
from latex import Outline, render_checked
from tests.latex import sources
from tests.latex.sources import outline_of

_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_REFERENCE = re.compile(r"\\(?:[cC]ref|autoref|eqref|pageref|ref)\*?\s*\{([^{}]*)\}")
_USES = re.compile(r"\\uses\s*\{([^{}]*)\}")
UNLIMITED = Recipe(closure_depth=10**6, closure_targets=10**6, closure_characters=10**9)


@cache
def pairs_of(name: str) -> tuple[tuple[int, Pair | Drop], ...]:
    return tuple(pairs(outline_of(name), Recipe()))


def reply(*numbers: int) -> str:
    """A model's choice of these candidates."""
    one = {
        "reason": "It decides.", "step_type": "estimate", "proof_family": "direct", "why_not_local": "It is far away.",
    }  # fmt: skip
    return json.dumps({"masks": [{"candidate": number, **one} for number in numbers]})


def masks_of(name: str, every: int = 1) -> Iterator[tuple[Pair, list[Candidate], list[Made[Mask] | Drop]]]:
    """A mask for each candidate of the proofs of a source, with its variants; of the proofs one in `every`."""
    source, index = outline_of(name), 0
    for _, pair in pairs_of(name)[::every]:
        if isinstance(pair, Drop):
            continue
        among = candidates(source, pair)
        for number in range(1, len(among) + 1):
            choice = chosen(reply(number), among, Recipe())
            assert not isinstance(choice, Drop)
            yield pair, among, list(_masked(source, pair, among, choice[0], index, name))
            index += 3


def _masked(
    source: Outline, pair: Pair, among: list[Candidate], choice: Chosen, index: int, name: str
) -> Iterator[Made[Mask] | Drop]:
    return masked(source, pair, among, choice, index=index, arxiv_id=name, written_by="masks.v1", seed=7)


def closures(name: str, every: int = 1) -> Iterator[tuple[int, set[sources.Key], set[sources.Key]]]:
    """For proofs (one in `every`) whose pair the ground truth knows: the statements of our closure, and those of the
    scan's."""
    source, closing = outline_of(name), Closing(outline_of(name), UNLIMITED)
    statements, proofs = sources.truth(name, "statement"), sources.truth(name, "proof")
    # It lists no examples, remarks and the like: these are the outline's.
    keys = {*statements, *(sources.key_of(name, made.span) for made in source.statements)}
    texts = _texts(name)
    by_number = {(key[0], row["n"]): key for key, row in statements.items()}
    labels: dict[str, sources.Key] = {}  # of a label, the statement that it is in
    for doc, text in texts.items():
        inside = [key for key in keys if key[0] == doc]
        for found in re.finditer(r"\\label\s*\{([^{}]*)\}", text):
            around = [key for key in inside if key[1] <= found.start() < key[2]]
            if around:
                labels.setdefault(found[1].strip(), max(around, key=lambda key: key[1]))

    def referred(key: sources.Key) -> set[str]:
        text = _COMMENT.sub("", texts[key[0]][key[1] : key[2]])
        return {" ".join(name.split()) for found in _REFERENCE.findall(text) for name in found.split(",")}

    for number, proof in list(enumerate(source.proofs))[::every]:
        key = sources.key_of(name, proof.span)
        row = proofs.get(key)
        if row is None or row["evidence"] not in ("adjacent", "named") or proof.statement is None:
            continue
        ours = closing.of(number)
        if isinstance(ours, Drop):
            continue
        own = by_number[key[0], row["statement"]]
        waiting, theirs = [*referred(key), *referred(own)], set()
        for label in waiting:  # which grows
            target = labels.get(label)
            if target is not None and target not in theirs and target != own:
                theirs.add(target)
                waiting += referred(target)
        found = {sources.key_of(name, target.span) for target in ours if target.kind == "statement"}
        yield number, found, theirs


def uses_of_pfr() -> tuple[int, int, int]:
    """(dependencies that authors declare with \\uses in proofs, of these those that the proof refers to, references
    to statements in these proofs)."""
    source = outline_of("pfr")
    closing = Closing(source, UNLIMITED)
    declared = both = referred = 0
    statements = {label.name for label in source.labels if label.statement is not None}
    for proof in source.proofs:
        text = _COMMENT.sub("", source.text_of(proof.span))
        uses = {name.strip() for found in _USES.findall(text) for name in found.split(",") if name.strip()}
        if uses:
            names = {name for name in closing.names(proof.span) if name in statements}
            declared, both, referred = declared + len(uses), both + len(uses & names), referred + len(names)
    return declared, both, referred


def _texts(name: str) -> dict[str, str]:
    """The documents of the ground truth by its names for them."""
    prefix = sources.SOURCES[name][2]
    if prefix is not None:
        return {prefix + file: text for file, text in sources.files_of(name).items()}
    flat = sources.flat_of(name)
    added = {piece.at for piece in flat.pieces if not piece.file}
    return {"": "".join(char for at, char in enumerate(flat.text) if at not in added)}


def written(lines: Sequence[Made[Mask] | Made[LemmaLine]], path: Path) -> Path:
    path.write_text(
        "".join(made.line.model_dump_json(exclude_none=True) + "\n" for made in lines), encoding="utf-8"
    )
    return path


@cache
def lemmas_of(name: str) -> tuple[tuple[int, Made[LemmaLine] | Drop], ...]:
    """Every lemma of a source with the last definition before it, pointed to by its words with other white space."""
    return tuple(_lemmas_of(name))


def _lemmas_of(name: str) -> Iterator[tuple[int, Made[LemmaLine] | Drop]]:
    source, recipe = outline_of(name), LemmaRecipe()
    for number, found in lemmas(source, recipe):
        if isinstance(found, Drop):
            yield number, found
            continue
        context = full(source, number, recipe)
        before = [made for made in source.statements[:number] if made.kind == "definition"]
        quotes = [" \n".join(source.text_of(made.body).split()) for made in before[-1:]]
        definitions = [{"quotes": [quote]} for quote in quotes if quote]
        needs = needed(
            source,
            number,
            context,
            json.dumps({"definitions": definitions, "assumptions": [], "missing": []}),
        )
        if isinstance(needs, Drop):
            yield number, needs
            continue
        yield number, assembled(
            source, found, needs, extraction=context.extraction, instance_id=f"{name}-{number}", domain="unstated",
            paper=PaperFields(key=name), written_by="needs.v1",
        )  # fmt: skip


def formulas_not_set() -> tuple[int, int, int]:
    """Of the passages that the recipes cut from all visible sources, each once, diagrams apart: (formulas, those that
    cannot be set, diagrams)."""
    formulas = failing = diagrams = 0
    for name in sources.SOURCES:
        source = outline_of(name)
        spans = [made.body for made in source.statements] + [made.body for made in source.proofs]
        for span in spans:
            report = render_checked(passage(source, span).text, "latex").report
            drawn = sum("diagram" in failure.reason for failure in report.failures)
            formulas, diagrams = formulas + report.formulas, diagrams + drawn
            failing += len(report.failures) - drawn
    return formulas, failing, diagrams
