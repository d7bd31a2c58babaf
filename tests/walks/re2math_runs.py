"""Made-up result files of seven systems: `python -m tests.walks.re2math_runs RELEASE.jsonl FOLDER`.

Re2Math's own per-instance results are not published; these have the format that its evaluator writes.
"""

import json
import sys
from pathlib import Path

from tests.benchmark.evaluations import SYSTEMS, write_evaluation


def main() -> None:
    release, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    gaps = [json.loads(line) for line in release.read_text("utf-8").splitlines()]
    for system in SYSTEMS:
        write_evaluation(folder / f"{system}.json", system, gaps)


if __name__ == "__main__":
    main()
