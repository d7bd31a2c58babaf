"""The 84 published proofs of DeepSeekMath-V2 as files to import: `python -m tests.walks.whole_proofs FOLDER`.

A verdict is yes where the verifier's score is 1.0; an expert's label is yes where the proof has full marks.
"""

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.stats.real_data import deepseek_proofs

SYSTEM = "deepseek-math-v2"
HEADER = (
    "campaign", "rubric_version", "rater_kind", "rater", "judge_version", "question", "subject", "value",
    "confidence", "stratum", "stratum_size", "sample_size",
)  # fmt: skip
Row = Mapping[str, Any]


def problems(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [
        {
            "instance_id": row["problem"],
            "domain": row["set"],
            "title": row["problem"],
            "statement": row["question"],
            "statement_format": "markdown",
            "reference_solution": row["solution"],
            "guidance": {"common_issues": [row["guidelines"]] if row["guidelines"] else []},
        }
        for row in rows
    ]


def proofs(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [{"instance_id": row["problem"], "text": row["proof"], "format": "markdown"} for row in rows]


def verdicts(rows: Iterable[Row]) -> list[list[object]]:
    judge = ["", "", "judge", "verifier", "verifier-published", "correct"]
    return [
        [*judge, _subject(row), "yes" if row["verifier"] == 1 else "no", row["verifier"], "", "", ""]
        for row in rows
    ]


def human_marks(
    rows: Iterable[Row], design: Mapping[str, tuple[int, int]] | None = None
) -> list[list[object]]:
    """Full marks are a yes. With `design` (stratum to its size and how many were drawn) as an audit of a sample."""
    expert = ["human-marks", "proofs-audit-v1", "expert", "graders", "", "correct"]
    found = []
    for row in rows:
        full = "yes" if row["points"] == row["maximum"] else "no"
        stratum = f"{SYSTEM}/" + ("correct" if row["verifier"] == 1 else "not_correct")
        drawn = [stratum, *design[stratum]] if design else ["", "", ""]
        found.append([*expert, _subject(row), full, "", *drawn])
    return found


def table(path: Path, rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def _subject(row: Row) -> str:
    return f"{row['problem']}/{SYSTEM}/1"


def main() -> None:
    folder, rows = Path(sys.argv[1]), deepseek_proofs()
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("problems", problems(rows)), ("proofs", proofs(rows))):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    table(folder / "verdicts.csv", verdicts(rows))
    table(folder / "marks.csv", human_marks(rows))


if __name__ == "__main__":
    main()
