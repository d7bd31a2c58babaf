"""Made-up result files in the format of Re2Math's evaluator: seven systems, every value drawn from a hash."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SYSTEMS = tuple(f"made-up-{letter}" for letter in "abcdefg")
JUDGE = "made-up/judge-1"


def evaluation(system: str, gaps: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The result file of a made-up system: of 20 entries about 14 are answered, 3 are without a statement, 2 stopped
    as a document was missing and 1 failed at once."""
    results = [_entry(system, gap) for gap in gaps]
    return {
        "stats": {"total": len(results)},
        "summary": {"ToolAcc": None},
        "results": results,
        "meta": {"solver_model": system, "judge_model": JUDGE, "made_up": True},
    }


def write_evaluation(path: Path, system: str, gaps: Iterable[Mapping[str, Any]]) -> Path:
    """The file as the evaluator writes it."""
    path.write_text(json.dumps(evaluation(system, gaps), indent=2, ensure_ascii=False), "utf-8")
    return path


def _entry(system: str, gap: Mapping[str, Any]) -> dict[str, Any]:
    key = gap["instance_id"]
    drawn = hashlib.sha256(f"{system}/{key}".encode()).digest()
    labels = ("yes", "no", "uncertain")
    kind = drawn[0] % 20
    entry = {
        "id": key,
        "selected_file": "rank_01_A made-up paper.pdf",
        "search_query": f"made-up query {drawn[1]}",
        "query_prompt": "…",
        "shortlist_manifest": {"mode": "metadata_llm", "selected_ranks": [1]},
        "download_manifest": [
            {
                "filename": "rank_01_A made-up paper.pdf",
                "title": "A made-up paper",
                "source_url": f"https://arxiv.org/pdf/2001.{drawn[2]:05}v1.pdf",
                "rank": 1,
            }
        ],
        "cite_recall_at_20": bool(drawn[3] % 2),
        "pdf_title": "A made-up paper",
        "Ground": {0: True, 1: False, 2: None}[drawn[4] % 3],
        "ground_label": labels[drawn[4] % 3],
        "ground_reason": "Made up.",
        "ground_confidence": drawn[5] / 255,
        "suff_label": labels[drawn[6] % 3],
        "suff_reason": "Made up.",
        "suff_confidence": drawn[7] / 255,
        "predicted_anchor": "a made-up anchor",
        "is_planning_matched": bool(drawn[8] % 2),
        "planning_match_reason": "Made up.",
        "extracted_latex": f"\\begin{{lemma}} A made-up lemma, number {drawn[9]}. \\end{{lemma}}",
        "paper_id": gap["paper"]["paper_id"],
        "judge": {"ground": None, "suff": None},
        "meta": {"solver_model": system, "judge_model": JUDGE, "track": "raw"},
    }
    if kind >= 14:  # nothing was extracted: the evaluator says no without asking
        entry |= {"extracted_latex": None, "ground_label": "no", "suff_label": "no"}
    if kind >= 17:
        entry |= {"selected_file": None, "ground_label": None, "suff_label": None, "error": "no_pdfs"}
    if kind == 19:
        entry |= {
            "search_query": None,
            "predicted_anchor": None,
            "is_planning_matched": None,
            "error": "timeout",
        }
    return entry
