"""Made-up labels of experts who audit a judge, for the walks: `python -m tests.walks.audit LABELS.csv SIZE`.

Reads the judge's verdicts in the label table, draws SIZE of the judged outputs by system and success, and prints the
experts' labels of them as such a table. Experts agree with the judge but for about one answer in ten, by a hash.
"""

import csv
import hashlib
import sys
from collections import defaultdict

COLUMNS = (
    "release", "campaign", "question", "subject", "instance", "system", "attempt", "stratum", "stratum_size",
    "sample_size", "rater", "rater_kind", "value", "state", "rubric_version",
)  # fmt: skip
OTHER = {"yes": "no", "no": "yes", "uncertain": "no"}


def hashed(*words: str) -> int:
    return int.from_bytes(hashlib.sha256("/".join(words).encode()).digest()[:4])


def main() -> None:
    path, size, rubric = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    judged: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["rater_kind"] == "judge" and row["state"] == "answered":
                judged[row["subject"]][row["question"]] = row
    strata: dict[str, list[str]] = defaultdict(list)
    for subject, answers in judged.items():
        system = next(iter(answers.values()))["system"]
        success = all(row["value"] == "yes" for row in answers.values())
        strata[f"{system}/{'success' if success else 'other'}"].append(subject)
    total = sum(map(len, strata.values()))
    table = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    for stratum, subjects in sorted(strata.items()):
        subjects.sort(key=lambda subject: hashed("draw", subject))
        share = min(len(subjects), max(2, round(size * len(subjects) / total)))
        for subject in subjects[:share]:
            for question, row in sorted(judged[subject].items()):
                value = OTHER[row["value"]] if hashed("err", subject, question) % 10 == 0 else row["value"]
                table.writerow(
                    row
                    | {
                        "campaign": "audit",
                        "stratum": stratum,
                        "stratum_size": len(subjects),
                        "sample_size": share,
                        "rater": "auditor@example.org",
                        "rater_kind": "expert",
                        "value": value,
                        "rubric_version": rubric,
                    }
                )


if __name__ == "__main__":
    main()
