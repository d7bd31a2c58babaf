"""Tools that compute with a model's text: in a child process with limits, because it may ask for ever.

Nothing that a model wrote is executed: `calculate` compares two formulas with computer algebra, `check` renders LaTeX.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from solving.models import Step

ROOT = Path(__file__).resolve().parents[2]
PROCESSOR_SECONDS, CLOCK_SECONDS, MEMORY_BYTES = 20, 60.0, 1 << 30
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ")  # no database address, no key
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # threads reserve memory


def used(step: Step) -> tuple[dict[str, object], str]:
    """(what the tool says, why it failed or "")."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    request = {"tool": step.name, "arguments": step.question, "limits": [PROCESSOR_SECONDS, MEMORY_BYTES]}
    try:
        child = subprocess.run(  # nosec B603 # our own module, and the text comes in as JSON
            [sys.executable, "-m", "solving.tools.child"],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=CLOCK_SECONDS,
            cwd=ROOT,
            env=kept | _ONE_THREAD,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {}, f"{step.name} took longer than {CLOCK_SECONDS:g} seconds"
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {}, f"{step.name} took longer than {PROCESSOR_SECONDS} seconds of the processor"
    if child.returncode or not child.stdout:
        return {}, f"{step.name} ended with an error"
    return json.loads(child.stdout), ""
