"""What is checked at every start: no package below the version whose holes are known, no database that forgets.

Package indexes cannot be asked from every machine, and an auditor that reaches none reports no holes; a list
that is here can be tested.
"""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, connections
from packaging.version import Version

from accounts.database.pooling import POOLER_HINT, pooler_fault
from accounts.site.forwarding import forwarding_fault
from config.blind_role import faults

# The first version without a hole or fault that matters here, and what it was.
FLOORS = {
    "Django": ("5.2.17", "stored XSS in the administration's address fields"),
    "django-allauth": ("65.19.4", "limits on sign-in could be raised by accents in the name"),
    "weasyprint": ("70.0", "redirects and attachments reached addresses that were forbidden"),
    "celery": ("5.7.0", "the first version whose behaviour after kills was measured"),
    "kombu": ("5.7.0", "the first version whose behaviour after kills was measured"),
}
KATEX_FLOOR = "0.18.2"  # below it, macros could write HTML
# A commit is answered before it is on disk if one of these has one of these values: an acknowledged grade could be
# lost. By vendor: the words that read the setting. 2 is FULL, 3 EXTRA (https://www.sqlite.org/pragma.html).
DURABLE: dict[str, dict[str, tuple[object, ...]]] = {
    "postgresql": {f"SHOW {name}": ("off",) for name in ("synchronous_commit", "fsync", "full_page_writes")},
    "sqlite": {"PRAGMA synchronous": (0, 1)},
}


def packages_below_their_floor(floors: dict[str, tuple[str, str]]) -> list[CheckMessage]:
    """An error for each installed package that is older than its floor."""
    return [
        Error(
            f"{name} {version(name)} is too old: {why}.",
            hint=f"Install {name} {floor} or later (requirements.txt pins one that was tested).",
            id="platform.E001",
        )
        for name, (floor, why) in floors.items()
        if Version(version(name)) < Version(floor)
    ]


def katex_below_its_floor(vendor: Path) -> list[CheckMessage]:
    """An error for each vendored KaTeX that is older than its floor, or if there is none."""
    found = [path.name.removeprefix("katex-") for path in vendor.glob("katex-*")]
    old = [name for name in found if Version(name) < Version(KATEX_FLOOR)]
    words = [f"KaTeX {name} is too old." for name in old] if found else ["KaTeX is not in static/vendor."]
    hint = f"Vendor {KATEX_FLOOR} or later: docs/vendoring.md says how."
    return [Error(word, hint=hint, id="platform.E002") for word in words if old or not found]


@register(Tags.security)
def check_floors(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Runs with every `check`, and so before every server and migration."""
    return [
        *packages_below_their_floor(FLOORS),
        *katex_below_its_floor(settings.BASE_DIR / "static" / "vendor"),
    ]


@register(Tags.security, deploy=True)
def check_forwarding(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Runs with `check --deploy`: whether requests fit the number of proxies; silent until somebody signed in."""
    try:
        fault = forwarding_fault()
    except DatabaseError:  # the table of the cache is made after the first check
        return []
    hint = "Set it to the number of proxies, each of which replaces or appends to X-Forwarded-For (docs/deploy.md)."
    return [Warning(f"{fault}.", hint=hint, id="platform.W005")] if fault else []


@register(Tags.database)
def check_durability(
    app_configs: Any = None, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """Runs with `migrate` and `check --database default`."""
    kind = Warning if settings.DEMO else Error  # a demo may forget what it was shown
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        with connection.cursor() as cursor:
            for reading, forgetful in DURABLE[connection.vendor].items():
                cursor.execute(reading)
                value = cursor.fetchone()[0]
                if value not in forgetful:
                    continue
                name = reading.split()[-1]
                words = f"The database has {name} = {value}: it can forget a grade that it has acknowledged."
                hint = f"ALTER SYSTEM SET {name} = on, then reload or restart PostgreSQL; SQLite: PRAGMA {name} = FULL."
                found.append(kind(words, hint=hint, id="platform.E003"))
    return found


@register(Tags.database)
def check_pooler(
    app_configs: Any = None, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """Runs with `migrate` and `check --database default`; web server and workers ask the same when they start."""
    fault = pooler_fault() if "default" in (databases or ()) else ""
    return [Error(f"{fault}.", hint=POOLER_HINT, id="platform.E006")] if fault else []


@register(Tags.database)
def check_blind_role(
    app_configs: Any = None, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """Whether the role of blinded requests holds; a warning, because `migrate` runs this before it can."""
    if not settings.BLIND_ROLE or "default" not in (databases or ()):
        return []
    hint = "manage.py grant_blind_role (after every migrate; docs/deploy.md)."
    return [
        Warning(f"The blind role: {fault}.", hint=hint, id="platform.W004")
        for fault in faults(settings.BLIND_ROLE)
    ]
