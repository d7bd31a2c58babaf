"""Small valid files of the protocols, to be spoilt one way at a time."""

import copy
import json
from pathlib import Path
from typing import Any

GAP: dict[str, Any] = {
    "instance_id": "2401.00001_gap_0",
    "split": "test",
    "paper": {"paper_id": "2401.00001", "title": "On gaps", "publication_date": "2024-01-02"},
    "x": {
        "global_context": {"setup": "Let $X$ be compact.", "target_theorem": "$X$ is bounded."},
        "local_context": ["Cover $X$ by balls.", "Finitely many suffice."],
        "anchor_hint": "Pass to a finite subcover.",
    },
    "y": {
        "reference_tool_latex": "Heine and Borel.",
        "reference_tool_type": "theorem",
        "restated_in_citing_paper": False,
    },
    "z": {
        "citation_key": "HB",
        "citation_content": "Heine, Borel.",
        "source_type": "journal_paper",
        "locator": "",
        "locator_snippet": "by \\cite{HB}",
        "doi": "",
        "arxiv_id": "",
    },
    "strata": {"domain": "geometry_topology", "tool_family": "other"},
}
ANSWER: dict[str, Any] = {
    "instance_id": "2401.00001_gap_0",
    "attempt": 1,
    "state": "answered",
    "planning_anchor": "canary-anchor",
    "query": "canary-query",
    "candidates": [{"title": "canary-candidate", "authors": "", "year": 2001, "identifier": ""}],
    "selected_source": {"title": "Analysis", "authors": "A. Borel", "year": 1901, "identifier": "doi:1"},
    "statement": "A closed bounded set is compact.",
    "source_excerpt": "Theorem 1.",
    "abstained": False,
}
PROBLEM: dict[str, Any] = {
    "instance_id": "p1",
    "domain": "algebra",
    "title": "Sums",
    "statement": "Show that $1+1=2$.",
    "reference_solution": "By definition.",
    "guidance": {"target_claim": "The sum is $2$.", "objects": ["$1$", "$2$"], "common_issues": []},
    "paper": None,
    "split": "test",
}
PROOF: dict[str, Any] = {
    "instance_id": "p1",
    "attempt": 1,
    "state": "answered",
    "text": "Clear.",
    "format": "markdown",
}
MASK: dict[str, Any] = {
    "index": 6,
    "arxiv_id": "2401.00003",
    "proof_index": 8,
    "problem": "Show that $1+2=3$.",
    "reference_solution": "Indeed $1+2=1+1+1$, which is $3$.",
    "mask_text": "Indeed $1+2=[MASK]$, which is $3$.",
    "mask_content": "1+1+1",
}
ATTEMPT: dict[str, Any] = {
    "index": 6,
    "attempt": 1,
    "state": "answered",
    "text": "$2+1$",
    "reasoning": "canary",
}
LEMMA: dict[str, Any] = {
    "instance_id": "l1",
    "domain": "algebra",
    "statement": "Every tame group is cyclic.",
    "definitions": ["A group is tame if it has prime order."],
    "assumptions": ["All groups are finite."],
    "paper": {
        "key": "2401.00004",
        "title": "Tame groups",
        "year": 2024,
        "identifiers": {"arxiv": "2401.00004"},
    },
}
STEPS: dict[str, Any] = {
    "instance_id": "l1",
    "attempt": 1,
    "state": "answered",
    "steps": ["Let $g \\neq e$; its order divides the prime $|G|$.", "So $g$ generates $G$."],
}
CONTEXT: dict[str, Any] = {
    "instance_id": "l1",
    "task": "context",
    "definitions": ["Tame means: of prime order."],
    "assumptions": [],
}


def gap(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A proof gap with a key of its own; a double underscore in a name goes one level down."""
    return changed(GAP, {"instance_id": f"2401.00001_gap_{number}", **changes})


def changed(record: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of the record with fields set, by names such as `x__anchor_hint`."""
    result = copy.deepcopy(record)
    for name, value in changes.items():
        *parents, last = name.split("__")
        target = result
        for parent in parents:
            target = target[parent]
        target[last] = value
    return result


def write_lines(path: Path, *lines: Any) -> Path:
    """A JSONL file; texts stand in it as they are, everything else as JSON."""
    with path.open("wb") as file:
        for line in lines:
            raw = line if isinstance(line, bytes) else json.dumps(line).encode()
            file.write(raw + b"\n")
    return path
