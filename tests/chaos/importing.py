"""An import that is killed in the middle of its transaction leaves nothing; the next one writes the same bytes."""

import hashlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.plan import Findings, check_rules
from tests.deployment import ROOT, Deployment, deployed

SAMPLE = ROOT / "sample" / "re2math"
OUTPUTS = 1_500  # more than one batch, so that death comes between two
KILLED_AT = 500
_ROWS = """
SELECT output.instance_id, output.attempt, output.state, output.text, output.text_format, output.payload,
       output.sha256, run.sha256
FROM benchmark_output AS output JOIN benchmark_run AS run ON output.run_id = run.id
JOIN benchmark_system AS system ON run.system_id = system.id
WHERE system.slug = '{system}' ORDER BY output.instance_id, output.attempt
"""


def import_under_fire(kills: int) -> Findings:
    """The long form, on PostgreSQL: killed again and again, then let through."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, deployed(Path(folder)) as deployment:
        findings = killed_imports(deployment, kills)
        check_rules(findings, deployment)
    findings.seconds = time.monotonic() - begun
    return findings


def killed_imports(deployment: Deployment, kills: int) -> Findings:
    """Import without a fault for comparison, then under another name: killed, looked at, and done."""
    findings = Findings("imports")
    outputs = _files(deployment)
    deployment.manage(*_import(outputs, "undisturbed"))
    for _ in range(kills):
        _killed(deployment, outputs, "disturbed")
        findings.faults["SIGKILL in the middle of an import"] += 1
        if left := rows(deployment, "disturbed") + deployment.query(
            "SELECT slug FROM benchmark_system WHERE slug = 'disturbed'"
        ):
            findings.wrong.append(f"{len(left)} rows were left by a killed import")
    deployment.manage(*_import(outputs, "disturbed"))
    whole, again = rows(deployment, "undisturbed"), rows(deployment, "disturbed")
    findings.acknowledged = OUTPUTS
    findings.lost = OUTPUTS - len({row[:2] for row in again})
    findings.doubled = max(0, len(again) - OUTPUTS)
    if _digest(again) != _digest(whole):
        findings.wrong.append("what was imported after the kill differs from an undisturbed import")
    return findings


def rows(deployment: Deployment, system: str) -> list[tuple[object, ...]]:
    """Every output of the system, whole, in order."""
    return deployment.query(_ROWS.format(system=system))


def _digest(found: list[tuple[object, ...]]) -> str:
    return hashlib.sha256(json.dumps(found, default=str, sort_keys=True).encode()).hexdigest()


def _files(deployment: Deployment) -> Path:
    """The sample's release, imported, and a file of OUTPUTS answers: many attempts at two of its instances."""
    outputs = deployment.folder / "outputs.jsonl"
    answers = [
        json.loads(line) for line in (SAMPLE / "outputs-aurora.jsonl").read_text("utf-8").splitlines()[:2]
    ]
    attempts = range(1, OUTPUTS // 2 + 1)
    lines = (json.dumps({**answer, "attempt": attempt}) for answer in answers for attempt in attempts)
    outputs.write_text("\n".join(lines) + "\n", "utf-8")
    deployment.manage("import_release", "re2math", str(SAMPLE / "release.jsonl"), "--release", "many")
    return outputs


def _import(outputs: Path, system: str) -> list[str]:
    return ["import_outputs", str(outputs), "--release", "many", "--system", system, "--no-render"]


def _killed(deployment: Deployment, outputs: Path, system: str) -> None:
    """Run the import in a process that dies at row KILLED_AT; raises RuntimeError if it lived."""
    command = [sys.executable, "-m", "tests.chaos.dies_in_import", str(KILLED_AT), *_import(outputs, system)]
    environment = {**deployment.environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(
            f"the import was to be killed, and ended with {done.returncode}: {done.stderr[-2000:]}"
        )
