"""`check --deploy`: what a real deployment lacks that no test of the code can see."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import DatabaseError, connection
from django.http.request import validate_host
from django.utils import timezone

from reports.status.state import LATE, last_heartbeat

_CACHE_TABLE = "cache_entry"


@register(Tags.security, deploy=True)
def check_deployment(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Everything that is missing, each with what to type."""
    if settings.DEMO:
        return []
    return [*_addresses(), *_files(), *_services(), *_what_runs()]


def _addresses() -> Iterator[CheckMessage]:
    """Whether the address that mails name leads here, over a connection on which cookies are sent."""
    site = urlsplit(settings.SITE_URL)
    if settings.SECURE_COOKIES and site.scheme != "https":
        yield Warning(
            f"TOUCHSTONE_SITE_URL is {settings.SITE_URL}, and cookies travel over HTTPS only.",
            hint="Name the https:// address that people type; links in mails begin with it.",
            id="platform.W006",
        )
    if not validate_host(site.hostname or "", settings.ALLOWED_HOSTS):
        yield Warning(
            f"TOUCHSTONE_SITE_URL leads to {site.hostname}, which TOUCHSTONE_ALLOWED_HOSTS does not name.",
            hint="Add it: until then every link in a mail is answered 400.",
            id="platform.W007",
        )
    plain = [origin for origin in settings.CSRF_TRUSTED_ORIGINS if not origin.startswith("https://")]
    if settings.SECURE_COOKIES and plain:
        yield Warning(
            f"TOUCHSTONE_CSRF_TRUSTED_ORIGINS trusts {', '.join(plain)}, where anybody on the way can change a page.",
            hint="Name origins with https:// only; the site's own address needs no entry.",
            id="platform.W008",
        )
    behind_a_proxy = settings.ALLAUTH_TRUSTED_PROXY_COUNT > 0
    if settings.SECURE_SSL_REDIRECT and behind_a_proxy and not settings.SECURE_PROXY_SSL_HEADER:
        yield Warning(
            "Requests come through a proxy that is not believed to speak TLS: each is redirected to itself for ever.",
            hint="TOUCHSTONE_BEHIND_TLS_PROXY=1, if the proxy always sets X-Forwarded-Proto.",
            id="platform.W009",
        )


def _files() -> Iterator[CheckMessage]:
    manifest = getattr(staticfiles_storage, "manifest_name", None)
    if manifest and not (settings.STATIC_ROOT / manifest).is_file():
        yield Warning(
            f"{settings.STATIC_ROOT} has no list of static files: every page is answered 500.",
            hint="manage.py collectstatic --noinput",
            id="platform.W010",
        )
    private = [settings.RUNTIME_DIR, settings.UPLOAD_DIR, settings.REPORT_DIR]
    for folder in dict.fromkeys(map(Path, private)):
        above = (folder, *folder.absolute().parents)
        if folder.is_dir() and all(path.stat().st_mode & stat.S_IXOTH for path in above):
            yield Warning(
                f"{folder} can be read by everybody on this machine; it holds uploads and reports that name systems.",
                hint=f"chmod 700 {folder}",
                id="platform.W011",
            )


def _services() -> Iterator[CheckMessage]:
    if not settings.EMAIL_LEAVES:
        yield Warning(
            "Mail is printed to the log: nobody receives an invitation or a link for a new password.",
            hint="TOUCHSTONE_EMAIL_URL=smtp+tls://user:password@host:587",
            id="platform.W012",
        )
    elif settings.DEFAULT_FROM_EMAIL.rstrip(">").endswith("@localhost"):
        yield Warning(
            f"Mail comes from {settings.DEFAULT_FROM_EMAIL}, which other servers refuse.",
            hint="TOUCHSTONE_FROM_EMAIL=touchstone@your.domain",
            id="platform.W013",
        )
    if not settings.DATABASE_URL:
        yield Warning(
            "The database is the embedded one, a file on one host.",
            hint="DATABASE_URL=postgres://user:password@host:5432/name",
            id="platform.W014",
        )
    if settings.CELERY_BROKER_URL == "filesystem://":
        yield Warning(
            "The broker is the embedded one, a folder on one host.",
            hint="CELERY_BROKER_URL=redis://host:6379/0",
            id="platform.W015",
        )


def _what_runs() -> Iterator[CheckMessage]:
    """What the database tells: the table of the cache, and the heartbeat that is kept in it."""
    by_database = str(settings.CACHES["default"]["BACKEND"]).endswith("DatabaseCache")
    try:
        if by_database and _CACHE_TABLE not in connection.introspection.table_names():
            yield Warning(
                "The table of the cache is missing: nobody can sign in.",
                hint="manage.py createcachetable",
                id="platform.W016",
            )
            return
        seen = last_heartbeat()
    except DatabaseError as error:
        yield Warning(
            f"The database does not answer: {str(error).splitlines()[0]}",
            hint="Is DATABASE_URL right, and the server started?",
            id="platform.W017",
        )
        return
    if seen is None or timezone.now() - seen > LATE:
        told = f"since {seen:%Y-%m-%d %H:%M} UTC" if seen else "yet"
        yield Warning(
            f"No worker has done what beat asks for {told}: nothing is judged, rendered, printed or sealed.",
            hint="Start a worker and beat; the first heartbeat comes after half a minute.",
            id="platform.W018",
        )
