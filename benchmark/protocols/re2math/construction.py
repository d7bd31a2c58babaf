"""The construction audit of one instance, as far as a program can do it (Re2Math, B.6).

A program says yes where it has checked the item, no where it has found the fault itself, and uncertain where a
person has to read. What the six items need is in ITEMS.
"""

import re
from collections.abc import Mapping
from typing import Any

from benchmark.citations.flags import Leak
from benchmark.citations.identifiers import arxiv_id, dois_in, is_clean_doi
from benchmark.citations.identity import Identity, same_work
from benchmark.citations.leakage import scan
from benchmark.protocol import ConstructionItem, ProgramJudge, ProgramReply
from benchmark.protocols.re2math.alignment import alignment
from benchmark.protocols.re2math.citing import cited_source, citing_paper, citing_year
from benchmark.protocols.re2math.schema import ProofGap

ITEMS = (
    ConstructionItem(
        "instrumental",
        "Instrumental citation",
        "The citation supplies a tool from outside for this step of the proof.",
        program=False,
    ),
    ConstructionItem(
        "context_aligned",
        "Local-context alignment",
        "The stored blocks are the proof as it stands before this citation.",
        limits="The paper's text is not part of a release. The program looks whether the words before the citation "
        "are in the context and those after it are not.",
    ),
    ConstructionItem(
        "witness_sufficient",
        "Reference-witness sufficiency",
        "The stored tool closes the gap in its stored context.",
        program=False,
    ),
    ConstructionItem(
        "leak_free",
        "Anchor leakage control",
        "The anchor names no theorem, author of the citation, citation key, DOI, arXiv id or source title.",
        limits="Names that are not standard terms are found by form; a paraphrase of the source's title is not.",
    ),
    ConstructionItem(
        "metadata_correct",
        "Citation metadata correctness",
        "The stored citation is the source that the citing paper uses.",
        limits="The program finds malformed and contradictory fields. It cannot see whether the right work is cited.",
    ),
    ConstructionItem(
        "external_source",
        "External-source constraint",
        "The instance needs a tool from outside the citing paper.",
        limits="The program compares the cited source with the citing paper. A person has to read whether the tool "
        "merely restates the citing proof.",
    ),
)
_DAMAGED = re.compile("Ã[\u0080-\u00bf©¨ª«¯°±´¶·¸»¼½¾¿]|â€|\ufffd")
_REVIEW_NUMBER = re.compile(r"(?:Zbl|JFM|MR)\s?")
FIRST_YEAR = 1600


def decide(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any] | None, text: str
) -> ProgramReply:
    """One item of ITEMS for one instance; `output` and `text` are not looked at. Raises KeyError for others."""
    gap = ProofGap.model_validate(instance)
    return _DECISIONS[predicate](gap)


def _leak_free(gap: ProofGap) -> ProgramReply:
    anchor = gap.x.anchor_hint
    nearby = "\n".join([gap.z.locator, *gap.x.local_context])
    flags = scan(anchor, cited_source(gap.z), key=gap.z.citation_key, nearby=nearby)
    shown = [
        {
            "kind": flag.kind.value,
            "start": flag.start,
            "end": flag.end,
            "text": anchor[flag.start : flag.end],
            "reason": flag.reason,
            "certain": flag.certain,
        }
        for flag in flags
    ]
    evidence = {"field": "x.anchor_hint", "flags": shown}
    leaks = [flag for flag in flags if flag.kind != Leak.OTHER_NAME]
    if leaks:
        value = "no" if any(flag.certain for flag in leaks) else "uncertain"
        words = "; ".join(f"“{anchor[flag.start : flag.end]}”: {flag.reason}" for flag in leaks[:20])
        return ProgramReply(value, words, evidence=evidence)
    return ProgramReply("yes", "The anchor gives away nothing that the scanner knows.", evidence=evidence)


def _context_aligned(gap: ProofGap) -> ProgramReply:
    found = alignment(gap.x.local_context, gap.z.locator or gap.z.locator_snippet, gap.z.citation_key)
    return ProgramReply(found.value, found.reason, evidence=dict(found.evidence))


def _metadata_correct(gap: ProofGap) -> ProgramReply:
    stored, cited, cites = gap.z, cited_source(gap.z), citing_year(gap.paper)
    faults, doubts = [], []
    if stored.doi and not is_clean_doi(stored.doi):
        faults.append(f"the DOI field {stored.doi[:100]!r} is not one DOI")
    elif stored.doi and (named := dois_in(stored.citation_content)) and stored.doi.lower() not in named:
        faults.append("the DOI field is not the DOI of the citation")
    if stored.arxiv_id and not arxiv_id(stored.arxiv_id):
        reviewed = re.search(_REVIEW_NUMBER.pattern + re.escape(stored.arxiv_id), stored.citation_content)
        what = "it is a review's number" if reviewed else "no arXiv identifier reads so"
        faults.append(f"the arXiv field {stored.arxiv_id[:50]!r}: {what}")
    if _DAMAGED.search(stored.citation_content):
        faults.append("the citation's characters were damaged by a wrong encoding")
    if not cited.title:
        doubts.append("no title could be read off the citation")
    if not cited.authors.names:
        doubts.append("the citation does not say who its authors are")
    if cited.year is None:
        doubts.append("the citation has no year")
    elif cited.year < FIRST_YEAR or (cites is not None and cited.year > cites):
        doubts.append(f"the citation's year {cited.year} is later than the citing paper's, {cites}")
    if arxiv_id(stored.arxiv_id) and stored.arxiv_id not in stored.citation_content:
        doubts.append("the arXiv identifier does not stand in the citation")
    evidence = {"faults": faults, "doubts": doubts}
    if faults or doubts:
        return ProgramReply("no" if faults else "uncertain", "; ".join(faults + doubts), evidence=evidence)
    reason = "Every stored field is well formed and agrees with the others."
    return ProgramReply("yes", reason, evidence=evidence)


def _external_source(gap: ProofGap) -> ProgramReply:
    match = same_work(cited_source(gap.z), citing_paper(gap.paper))
    evidence = {"match": match.identity.value, **dict(match.evidence)}
    value, words = {
        Identity.DIFFERENT: ("yes", "The cited source is not the citing paper"),
        Identity.SAME: ("no", "The cited source is the citing paper"),
        Identity.ASK: ("uncertain", "It may be the citing paper"),
    }[match.identity]
    return ProgramReply(value, f"{words}: {match.reason}.", evidence=evidence)


_DECISIONS = {
    "leak_free": _leak_free,
    "context_aligned": _context_aligned,
    "metadata_correct": _metadata_correct,
    "external_source": _external_source,
}

CONSTRUCTION = ProgramJudge(
    name="construction",
    version=2,
    predicates=tuple(item.key for item in ITEMS if item.program),
    decide=decide,
    title="Construction audit of instances",
    subject="instance",
)
