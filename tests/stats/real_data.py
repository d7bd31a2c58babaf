"""Where the real data are that some tests read: next to the project, never inside it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def real_file(*parts: str) -> Path:
    """A file of the real data; the test fails with a clear message where it is missing."""
    path = DATA.joinpath(*parts)
    if not path.is_file():
        pytest.fail(f"this test checks figures on real data, which is missing: {path}")
    return path


def pandalm() -> list[dict[str, object]]:
    """999 pairs of answers with three human preferences each (0 tie, 1, 2)."""
    return json.loads(real_file("pandalm", "testset-v1.json").read_text(encoding="utf-8"))


def deepseek_proofs() -> list[dict[str, object]]:
    """84 proofs: set, problem with statement, solution and guidelines, human points out of a maximum, the verifier's
    score in [0, 1]."""
    maxima = {"CMO2024": 21, "Putnam2024": 10, "IMO2025": 7}
    rows = []
    for name in ("CMO2024", "IMO2025", "Putnam2024", "IMO-ProofBench-Basic", "IMO-ProofBench-Advanced"):
        path = real_file("deepseek-math-v2", "outputs", f"{name}.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            prediction = record["model_prediction"]
            if isinstance(prediction, str):  # the ProofBench files hold it as a Python literal
                prediction = ast.literal_eval(prediction)
            rows.append(
                {
                    "set": name,
                    "problem": record["problem_idx"],
                    "points": prediction["human_rating"],
                    "maximum": maxima.get(name, 7),
                    "verifier": prediction["average_automatic_rating"],
                    "question": record["question"],
                    "solution": record.get("solution", ""),
                    "guidelines": record.get("grading guidelines", ""),
                    "proof": prediction["proof"],
                }
            )
    return rows
