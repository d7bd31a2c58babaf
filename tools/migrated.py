"""Databases that begin migrated: tests copy what one run made for as long as the code and its packages are the same.

Migrating takes six seconds of the processor. Of PostgreSQL the files of a whole cluster are kept: a dump would
bring unique constraints back in another order than migrations made them, and the first that is violated is named.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.console import ROOT
from tools.environment import PYTHON
from tools.servers import postgresql, programs_of

KEPT = ROOT / ".runtime" / "migrated"
DATABASE = "touchstone_migrated"  # the name of the migrated database in a kept cluster
NOT_THE_PRODUCT = {ROOT / "tests", ROOT / "tools", ROOT / "bench"}


def version_of_the_code() -> str:
    """A digest of all that a migration can import, so that nothing kept under it is ever out of date."""
    digest = hashlib.sha256((ROOT / "constraints.txt").read_bytes())
    folders = {path.parent for path in ROOT.glob("*/__init__.py")} - NOT_THE_PRODUCT
    for module in sorted(module for folder in folders for module in folder.rglob("*.py")):
        digest.update(
            f"{module.relative_to(ROOT)} {hashlib.sha256(module.read_bytes()).hexdigest()}".encode()
        )
    return digest.hexdigest()


@contextmanager
def kept(suffix: str) -> Iterator[tuple[Path, bool]]:
    """Where something is kept, and whether it is there already; nobody else makes it meanwhile. What is older goes."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"lock{suffix}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = KEPT / f"{version_of_the_code()}{suffix}"
        if not path.exists():
            for outdated in KEPT.glob(f"{'?' * 64}{suffix}"):
                shutil.rmtree(outdated) if outdated.is_dir() else outdated.unlink()
        yield path, path.exists()


def migrated_cluster(packages: Path) -> Path:
    """The files of a stopped cluster with a migrated database."""
    with kept(".postgresql") as (path, is_there):
        if not is_there:
            with tempfile.TemporaryDirectory(prefix="touchstone-", dir="/tmp") as name:  # nosec B108 # short, for a socket
                folder = Path(name)
                with postgresql(packages, folder) as url:
                    _migrate(programs_of(packages, folder), folder, url)
                unfinished = KEPT / "unfinished.postgresql"
                shutil.rmtree(unfinished, ignore_errors=True)
                shutil.copytree(folder / "data", unfinished)
                unfinished.rename(path)
    return path


def _migrate(programs: Path, folder: Path, url: str) -> None:
    created = [str(programs / "createdb"), "-h", str(folder / "socket"), "-U", "postgres", DATABASE]
    subprocess.run(created, check=True)  # nosec B603 # the wheel's own program
    environment = {
        **os.environ,
        "DATABASE_URL": url.replace("/postgres?", f"/{DATABASE}?"),
        "TOUCHSTONE_DEMO": "1",  # needs no keys to migrate
        "TOUCHSTONE_RUNTIME_DIR": str(folder / "runtime"),
    }
    command = [str(PYTHON), "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)  # nosec B603 # our own command
