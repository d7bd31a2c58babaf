"""The commands `score` and `analyse agreement`, from rows in the database or a file to the document.

Seven systems on 200 instances of 167 papers, made from the sample release; judge verdicts on everything and an
expert audit of 175 outputs. A million labels in a CSV file.
"""

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.frame import Figure, Spread, demo, once
from stats.core.bootstrap import generator

SYSTEMS, INSTANCES, PAIRED = 7, 200, 33
AUDITED = {("yes", "yes"): 45, ("yes", "no"): 70, ("no", "no"): 60}
BUCKETS = {("yes", "yes"): "success", ("yes", "no"): "grounded_insufficient", ("no", "no"): "ungrounded"}
LABELS = 1_000_000
RNG = generator(1)
LABEL_COLUMNS = [
    *("release", "campaign", "question", "subject", "instance", "system", "attempt", "cluster"),
    *("stratum", "stratum_size", "sample_size", "rater", "rater_kind", "vote", "value"),
    *("judge_version", "rubric_version"),
]
PREPARE = """
import sys
import django
django.setup()
from pathlib import Path
from django.core.management import call_command
folder, quiet = Path(sys.argv[1]), open("/dev/null", "w")
call_command("migrate", verbosity=0)
call_command("import_release", "re2math", str(folder / "release.jsonl"), release="bench", stdout=quiet)
for path in sorted(folder.glob("system-*.jsonl")):
    options = {"release": "bench", "system": path.stem, "no_render": True, "stdout": quiet}
    call_command("import_outputs", str(path), **options)
call_command("import_labels", str(folder / "labels.csv"), release="bench", stdout=quiet)
"""
MEASURE = """
import json, sys, time
import django
django.setup()
from django.core.management import call_command
arguments, found, quiet = json.loads(sys.argv[1]), [], open("/dev/null", "w")
for _ in range(int(sys.argv[2])):
    start = time.perf_counter(), time.process_time()
    call_command(*arguments, stdout=quiet)
    found.append((time.perf_counter() - start[0], time.process_time() - start[1]))
print(json.dumps(found))
"""


def write_study(folder: Path) -> None:
    """The files of a release, its systems' outputs and all labels."""
    sample = Path("sample/re2math")
    problems = _json_lines(sample / "release.jsonl")
    answers = {line["instance_id"]: line for line in _json_lines(sample / "outputs-aurora.jsonl")}
    made = []
    for number in range(INSTANCES):
        # The first 66 instances are two to a paper, the others alone.
        paper = number // 2 if number < 2 * PAIRED else number - PAIRED
        problem = problems[number % len(problems)]
        source = problem["instance_id"]
        name = f"bench-{number:04d}"
        made.append((name, f"paper-{paper}", answers[source]))
        citing = {"paper_id": f"paper-{paper}", "title": "On gaps", "publication_date": "2024-01-15"}
        _append(folder / "release.jsonl", problem | {"instance_id": name, "paper": citing})
    for system in range(SYSTEMS):
        for name, _, answer in made:
            _append(folder / f"system-{system}.jsonl", answer | {"instance_id": name})
    _write_labels(
        folder / "labels.csv", [(name, paper) for name, paper, said in made if said["state"] == "answered"]
    )


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _append(path: Path, line: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _write_labels(path: Path, instances: list[tuple[str, str]]) -> None:
    verdicts: dict[tuple[str, str], list[tuple[str, str, int]]] = {stratum: [] for stratum in AUDITED}
    for system in range(SYSTEMS):
        for name, paper in instances:
            kind = RNG.choice(3, p=[0.04, 0.21, 0.75])
            verdicts[list(AUDITED)[int(kind)]].append((name, paper, system))
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, LABEL_COLUMNS, restval="")
        rows.writeheader()
        for (ground, suff), outputs in verdicts.items():
            for at, (name, paper, system) in enumerate(outputs):
                output = {
                    "release": "bench",
                    "subject": f"{name}/system-{system}/1",
                    "instance": name,
                    "system": f"system-{system}",
                    "attempt": 1,
                    "cluster": paper,
                }
                drawn = AUDITED[ground, suff]
                audit = {
                    "campaign": "audit",
                    "stratum": BUCKETS[ground, suff],
                    "stratum_size": len(outputs),
                    "sample_size": min(drawn, len(outputs)),
                    "rater": "ada@demo.test",
                    "rater_kind": "expert",
                    "rubric_version": "re2math-audit-v1",
                }
                judged = {"rater": "judge", "rater_kind": "judge", "vote": 1, "judge_version": "judge-v1"}
                for question, value in (("ground", ground), ("suff", suff)):
                    rows.writerow(output | judged | {"question": question, "value": value})
                    if at < drawn:
                        rows.writerow(output | audit | {"question": question, "value": value})


def write_labels(path: Path, labels: int) -> None:
    """So many answers: five experts to a subject, two subjects to a cluster, three categories."""
    values = RNG.choice(["yes", "no", "uncertain"], size=labels, p=[0.6, 0.3, 0.1]).tolist()
    with path.open("w", encoding="utf-8") as file:
        file.write("release,question,subject,cluster,rater,rater_kind,value\n")
        file.writelines(
            f"eval,correct,s{at // 5},p{at // 10},r{at % 5},expert,{value}\n"
            for at, value in enumerate(values)
        )


def run(script: str, folder: str, *arguments: str) -> str:
    """Standard output of a script in a process of its own, with its own database."""
    environment = demo(folder, DATABASE_URL="")
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def commanded(folder: str, runs: int, *arguments: str) -> Spread:
    """Seconds of a management command, without the start of Django."""
    found = json.loads(run(MEASURE, folder, json.dumps(arguments), str(runs)).splitlines()[-1])
    clock, processor = (list(seconds) for seconds in zip(*found, strict=True))
    return Spread.of(clock, processor=processor)


def by_hand(path: Path) -> None:
    """Read a tenth of the rows into dictionaries and count agreeing pairs per subject."""
    subjects: dict[str, list[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for at, row in enumerate(csv.DictReader(file)):
            if at == LABELS // 10:
                break
            subjects.setdefault(row["subject"], []).append(row["value"])
    for values in subjects.values():
        sum(one == other for one in values for other in values)


def figures() -> Iterator[Figure]:
    """Both commands."""
    with tempfile.TemporaryDirectory() as folder:
        write_study(Path(folder))
        run(PREPARE, folder, folder)
        spread = commanded(folder, 5, "score", "--release", "bench", "--json")
        task = f"score, {SYSTEMS} systems x {INSTANCES} instances, all intervals"
        yield Figure(task, spread, target=1.0)
        path = Path(folder) / "million.csv"
        write_labels(path, LABELS)
        spread = commanded(folder, 3, "analyse", "agreement", str(path), "--json")
        naive = once(lambda: by_hand(path), scaled=10)
        task = "analyse agreement, 1,000,000 labels, CSV to document"
        yield Figure(task, spread, naive, "csv rows and pair loop, percent only", target=15.0)
