"""What the machine must bring outside Python: pango for PDF, pdftotext and Chromium for tests.

Root on Debian gets it installed; everybody else gets one line that names the command.
"""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

from tools.console import RUNTIME, Refused, say

PANGO_LIBRARIES = ["libpango-1.0.so.0", "libpangoft2-1.0.so.0", "libharfbuzz-subset.so.0"]
PANGO_PACKAGES = ["libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0"]
# For `make production`: program -> its package.
SERVER_PACKAGES = {
    "nginx": "nginx",
    "pgbouncer": "pgbouncer",
    "redis-server": "redis-server",
    "openssl": "openssl",
    "postgres": "postgresql",
}
POSTGRESQL_PROGRAMS = Path("/usr/lib/postgresql")  # by version, and not on PATH
SERVER_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # which PATH of ordinary users lacks
# Without windows, a new page takes a quarter of the processor time.
HEADLESS_SHELL = "chromium-headless-shell"
CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome"]


def pango_is_there() -> bool:
    """True when the dynamic loader finds what WeasyPrint opens."""
    try:
        for library in PANGO_LIBRARIES:
            ctypes.CDLL(library)
    except OSError:
        return False
    return True


def chromium_path(*, with_windows: bool = False) -> str | None:
    """TOUCHSTONE_CHROMIUM if it names a program, else the first Chromium on PATH, else None.

    with_windows: the one that people use, which sets text a little differently.
    """
    named = os.environ.get("TOUCHSTONE_CHROMIUM")
    if named:
        return shutil.which(named)
    names = CHROMIUM_NAMES if with_windows else [HEADLESS_SHELL, *CHROMIUM_NAMES]
    return next((path for path in map(shutil.which, names) if path), None)


def may_install() -> bool:
    """True for root on a machine with apt-get."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def ensure_pango_or_say() -> None:
    """For the demo: without pango everything but PDF works, so its absence gives a warning and is not fatal."""
    try:
        ensure_pango()
    except Refused as refusal:
        say(f"{refusal} (Until then PDF reports are not available; everything else is.)")


def ensure_pango() -> None:
    """Brings pango, or raises Refused with the command to type."""
    if not pango_is_there():
        _bring("PDF reports need pango.", PANGO_PACKAGES)


def ensure_chromium() -> None:
    """Brings Chromium, or raises Refused with the command to type."""
    if chromium_path(with_windows=True) is None:
        _bring("Browser tests need Chromium.", ["chromium", HEADLESS_SHELL])


def ensure_pdftotext() -> None:
    """Brings pdftotext, with which tests read printed reports, or raises Refused with the command to type."""
    if shutil.which("pdftotext") is None:
        _bring("Tests of PDF reports need pdftotext.", ["poppler-utils"])


def postgresql_programs() -> Path | None:
    """The folder of Debian's newest PostgreSQL server, None without one."""
    found = (path.parent for path in POSTGRESQL_PROGRAMS.glob("*/bin/postgres"))
    return max(found, key=lambda folder: int(folder.parent.name), default=None)


def ensure_servers() -> None:
    """Installs the servers that production needs, or raises Refused with the command to type."""
    there = {name for name in SERVER_PACKAGES if name != "postgres" and shutil.which(name, path=SERVER_PATH)}
    if postgresql_programs() is not None:
        there.add("postgres")
    missing = [package for name, package in SERVER_PACKAGES.items() if name not in there]
    if missing:
        _bring("Production needs PostgreSQL and Redis.", missing)


def _bring(reason: str, packages: list[str]) -> None:
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    advice = f"{reason} Type: sudo apt-get install {' '.join(packages)}"
    if not may_install():
        raise Refused(advice)
    say(f"{reason} Installing {' '.join(packages)} ...")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    logs = RUNTIME / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    with (logs / "apt.log").open("ab") as log:
        for step in (["apt-get", "update"], command):
            done = subprocess.run(  # nosec B603 # apt-get with packages named in this file
                step, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, check=False
            )
    if done.returncode != 0:
        raise Refused(f"{advice} (apt-get failed; see {logs / 'apt.log'})")
