"""The embedded database: SQLite with a write-ahead log and immediate transactions.

Plain deferred transactions fail with "database is locked" when two writers upgrade at once; IMMEDIATE takes
the write lock at BEGIN and waits for it instead.
"""

import re
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from config.env import make_folder, read_text

_ENGINES = ("django.db.backends.postgresql", "django.db.backends.sqlite3")


def read_database(variable: str, runtime_dir: Path) -> dict[str, Any]:
    """The database that `variable` names, the embedded one for none. Errors do not quote the value, which holds a
    password."""
    if not (address := read_text(variable)):
        return embedded_database(runtime_dir)
    try:
        found = dict(environ.Env.db_url_config(address))
    except ValueError:
        found = {}
    if found.get("ENGINE") not in _ENGINES:
        raise ImproperlyConfigured(
            f"{variable}: expected an address such as postgres://user:password@host:5432/name. "
            "In user and password, %, /, ? and # are written %25, %2F, %3F and %23."
        )
    return found


def embedded_database(runtime_dir: Path) -> dict[str, Any]:
    """Django's DATABASES entry for a file in `runtime_dir` (created if missing)."""
    make_folder(runtime_dir, "TOUCHSTONE_RUNTIME_DIR")
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(runtime_dir / "touchstone.sqlite3"),
        # Tests of concurrency need a file too: threads on a shared memory database get "table is locked".
        "TEST": {"NAME": str(runtime_dir / "test.sqlite3")},
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 60,  # two hundred writers at once take turns; each waits for its own
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;",
        },
    }


def read_blind_role(variable: str, engine: str) -> str:
    """The role of PostgreSQL that `variable` names, "" for none. Raises ImproperlyConfigured on another database."""
    role = read_text(variable)
    if role and engine != "django.db.backends.postgresql":
        raise ImproperlyConfigured(f"{variable} needs PostgreSQL; DATABASE_URL names another database.")
    if role and not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", role):
        raise ImproperlyConfigured(f"{variable}={role!r}: use lower case letters, digits and underscores.")
    return role
