"""Real documents, read in place."""

import csv
import json
from functools import cache
from pathlib import Path

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@cache
def papers() -> dict[str, str]:
    """The 14 LaTeX documents on First Proof problems."""
    return {
        path.stem: path.read_text(encoding="utf-8") for path in (DATA / "first-proof-aletheia").glob("*.tex")
    }


@cache
def machine_proofs() -> dict[str, str]:
    """The 84 Markdown proofs of DeepSeek-Math-V2."""
    found: dict[str, str] = {}
    for path in sorted((DATA / "deepseek-math-v2" / "outputs").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found[row["problem_idx"]] = row["model_prediction"]["proof"]
    return found


@cache
def reference_solutions() -> dict[str, str]:
    with (DATA / "imo-proofbench" / "proofbench_v2.csv").open(encoding="utf-8", newline="") as file:
        return {row["Problem ID"]: row["Solution"] for row in csv.DictReader(file)}


@cache
def snippets() -> list[str]:
    """LaTeX fragments of the Re2Math instances: authors' macros are unknown in them."""
    path = DATA / "re2math" / "benchmark_dataset_eval200.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row["y"]["reference_tool_latex"] for row in rows] + [
        row["z"].get("locator") or "" for row in rows
    ]


@cache
def hostile_strings() -> list[str]:
    naughty = json.loads((DATA / "corpora" / "blns.json").read_text(encoding="utf-8"))
    lines = (DATA / "corpora" / "xss-vectors.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    injection = (DATA / "corpora" / "latex-injection.md").read_text(encoding="utf-8", errors="replace")
    return [*naughty, *lines, *injection.splitlines(), injection]
