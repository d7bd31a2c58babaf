"""Many questions in a deployment of its own, asked through its commands, and how many are answered."""

import json

from tests.deployment import ROOT, Deployment

SAMPLE = ROOT / "sample" / "re2math"
PREDICATES = 2
_DISTINCT = 'SELECT DISTINCT judge_id, output_id, predicate, "order", vote FROM judging_verdict'
_ASK = """
from benchmark.models import Release
from judging.runs.actions import ask, create_judge
judge = create_judge(actor=None, slug="strict", protocol="re2math", model="m", endpoint="local")
ask(actor=None, judge=judge, release=Release.objects.get(name="many"))
"""


def ask_many(deployment: Deployment, judgments: int) -> None:
    """Import a release whose outputs give so many judgments, and queue them for the judge `strict`."""
    release = deployment.folder / "release.jsonl"
    release.write_text((SAMPLE / "release.jsonl").read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    answer = json.loads((SAMPLE / "outputs-aurora.jsonl").read_text("utf-8").splitlines()[0])
    outputs = deployment.folder / "outputs.jsonl"
    with outputs.open("w", encoding="utf-8") as file:
        for attempt in range(1, judgments // PREDICATES + 1):
            file.write(json.dumps({**answer, "attempt": attempt}) + "\n")
    deployment.manage("import_release", "re2math", str(release), "--release", "many")
    deployment.manage("import_outputs", str(outputs), "--release", "many", "--system", "aurora")
    deployment.manage("shell", "-c", _ASK)


def count_verdicts(deployment: Deployment) -> int:
    """Rows of verdicts stored."""
    return int(deployment.query("SELECT count(*) FROM judging_verdict")[0][0])


def distinct_verdicts(deployment: Deployment) -> int:
    """Questions and votes that have a verdict."""
    return int(deployment.query(f"SELECT count(*) FROM ({_DISTINCT}) AS keys")[0][0])
