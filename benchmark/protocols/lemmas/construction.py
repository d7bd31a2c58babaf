"""The construction audit of one lemma: whether it was taken out of its paper well (LemmaBench, sections 3.1 and 3.2).

A program answers what can be computed, models and experts the rest. Only a person can open the paper.
"""

import re
from collections.abc import Mapping
from typing import Any

from benchmark.instance_checks import links, typeset
from benchmark.protocol import ConstructionItem, Predicate, ProgramJudge, ProgramReply
from benchmark.protocols.lemmas.loader import context_text
from benchmark.protocols.lemmas.schema import Lemma

ITEMS = (
    ConstructionItem(
        "context_complete",
        "Self-containedness",
        "With its definitions and assumptions the lemma can be understood without the paper.",
        program=False,
    ),
    ConstructionItem(
        "faithful",
        "Faithfulness",
        "Lemma, definitions and assumptions say what the paper says, and nothing else.",
        program=False,
    ),
    ConstructionItem(
        "statement_correct",
        "Correctness of the statement",
        "Under its assumptions the lemma, as it is stated here, is true.",
        program=False,
    ),
    ConstructionItem(
        "own_result",
        "Novelty",
        "The lemma is the paper's own, and not one that it recalls from elsewhere.",
        limits="The program finds lemmas that cite a source. It cannot see one that is recalled without a citation.",
    ),
    ConstructionItem(
        "links_resolved",
        "Resolved references",
        "No reference or citation leads to what is not there.",
    ),
    ConstructionItem(
        "well_formed",
        "Well-formed LaTeX",
        "Every formula can be typeset.",
    ),
)
QUESTIONS = (
    Predicate("context_complete", "context-complete.v1"),
    Predicate("statement_correct", "statement-correct.v1"),
    Predicate("own_result", "own-result.v1"),
)
_CITES = re.compile(r"\\[a-zA-Z]*cite[a-zA-Z]*\*?\s*(?:\[[^\]]*\]\s*)*\{([^}]*)\}")


def instance_fields(predicate: str, payload: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the prompt that asks `predicate`. Raises KeyError for others."""
    if predicate not in {question.key for question in QUESTIONS}:
        raise KeyError(f"lemmas has no question {predicate!r} about an instance")
    lemma = Lemma.model_validate(payload)
    return {"lemma": lemma.statement, "context": context_text(lemma.definitions, lemma.assumptions)}


def decide(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any] | None, text: str
) -> ProgramReply:
    """One item of ITEMS for one lemma; `output` and `text` are not looked at. Raises KeyError for others."""
    lemma = Lemma.model_validate(instance)
    texts = (lemma.statement, context_text(lemma.definitions, lemma.assumptions))
    if predicate == "well_formed":
        return typeset(texts)
    if predicate == "links_resolved":
        return links(texts, found_none="yes")
    if predicate == "own_result":
        keys = [key.strip() for found in _CITES.findall(lemma.statement) for key in found.split(",")]
        if keys:
            return ProgramReply("no", f"The lemma cites {', '.join(keys)}.", evidence={"keys": keys})
        return ProgramReply("uncertain", "The lemma cites nothing; a person has to know.")
    raise KeyError(f"the construction program does not answer {predicate!r}")


CONSTRUCTION = ProgramJudge(
    name="construction",
    version=1,
    predicates=tuple(item.key for item in ITEMS if item.program),
    decide=decide,
    title="Construction audit of lemmas",
    subject="instance",
)
