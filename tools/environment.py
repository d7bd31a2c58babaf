"""Makes `.venv` with the pinned packages; a second call that finds nothing changed returns at once.

As a script: `python3 -m tools.environment run` (what the site needs) or `dev` (tests and checks as well).
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from tools.console import ROOT, RUNTIME, Refused, run_main, say

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOGS = RUNTIME / "logs"
REQUIREMENTS = {"run": ["requirements.txt"], "dev": ["requirements.txt", "requirements-dev.txt"]}
PINS = "constraints.txt"


def fingerprint(kind: str, root: Path = ROOT) -> str:
    """A hash of everything that decides what the environment holds: pins, interpreter and place."""
    digest = hashlib.sha256(f"{sys.version}\n{root}\n{sys.base_prefix}".encode())
    for name in [*REQUIREMENTS[kind], PINS]:
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def is_current(kind: str) -> bool:
    """True when `.venv` was finished for exactly these pins and its interpreter still starts."""
    stamp = VENV / f"touchstone-{kind}"
    if not stamp.is_file() or stamp.read_text(encoding="ascii") != fingerprint(kind):
        return False
    done = subprocess.run([PYTHON, "-c", ""], capture_output=True, check=False)  # nosec B603 # the interpreter
    return done.returncode == 0


def ensure_environment(kind: str) -> None:
    """Makes or completes `.venv` for `kind` ("run" or "dev"). Raises Refused with what to type."""
    RUNTIME.mkdir(exist_ok=True)
    with (RUNTIME / "install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_current(kind):
            return
        if not _belongs_to(VENV, ROOT):
            say("Making .venv ...")
            if VENV.exists():
                shutil.rmtree(VENV)
            command = [sys.executable, "-m", "venv", str(VENV)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # nosec B603
            if done.returncode != 0:
                shutil.rmtree(VENV, ignore_errors=True)
                if "ensurepip" in done.stdout + done.stderr:
                    raise Refused(
                        "Python's venv module is incomplete here. Type: apt-get install python3-venv"
                    )
                raise Refused(f"Could not make .venv: {(done.stderr or done.stdout).strip()}")
            (VENV / "touchstone-place").write_text(_place(ROOT), encoding="utf-8")
        LOGS.mkdir(parents=True, exist_ok=True)
        wanted = REQUIREMENTS[kind][-1]
        say(f"Installing the packages of {wanted} into .venv (a minute or two the first time) ...")
        command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--no-input"]
        command += ["--disable-pip-version-check", "--requirement", wanted, "--constraint", PINS]
        log_path = LOGS / "install.log"
        with log_path.open("wb") as log:
            code = _wait_aloud(command, log)
        if code != 0:
            tail = "\n".join(log_path.read_text(encoding="utf-8", errors="replace").splitlines()[-12:])
            raise Refused(f"{tail}\nInstalling the packages failed; all of it is in {log_path}")
        for finished in ["run", "dev"] if kind == "dev" else ["run"]:
            (VENV / f"touchstone-{finished}").write_text(fingerprint(finished), encoding="ascii")


def _belongs_to(venv: Path, root: Path) -> bool:
    """False for a folder that was copied from elsewhere or made by another interpreter."""
    try:
        made = (venv / "touchstone-place").read_text(encoding="utf-8")
    except OSError:
        return False
    return made == _place(root) and (venv / "bin" / "python").exists()


def _place(root: Path) -> str:
    return f"{root}\n{sys.version}\n{sys.base_prefix}\n"


def _wait_aloud(command: list[str], log: IO[bytes]) -> int:
    """Runs `command` with its output in `log`, says every 20 s that it is still at work, returns its code."""
    # What would make pip install elsewhere or Python import from elsewhere.
    strays = {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_USER", "VIRTUAL_ENV"}
    clean = {name: value for name, value in os.environ.items() if name not in strays}
    began = time.monotonic()
    child = subprocess.Popen(  # nosec B603 # pip
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=clean
    )
    try:
        while True:
            try:
                return child.wait(timeout=20)
            except subprocess.TimeoutExpired:
                say(f"  still installing, {time.monotonic() - began:.0f} s")
    finally:
        if child.poll() is None:
            child.terminate()


def main() -> int:
    """Command line: one word, "run" or "dev"."""
    if sys.argv[1:] not in (["run"], ["dev"]):
        raise Refused("usage: python3 -m tools.environment run|dev")
    ensure_environment(sys.argv[1])
    return 0


if __name__ == "__main__":
    run_main(main)
