"""The front door, what monitoring asks, and the page of a server error."""

import errno
import sys
from collections.abc import Iterator
from hmac import compare_digest
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET
from django.views.defaults import page_not_found
from prometheus_client import CONTENT_TYPE_LATEST

from accounts.access import is_study_staff, role_names
from accounts.database.sight import identities_readable
from accounts.models import RoleName
from config.metrics import exposition
from work.database_thread import READ_ONLY


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Reviewers land on their queue, those who run the study on the studies, others on their profile."""
    if is_study_staff(request.user):
        return redirect("studies")
    return redirect("queue" if RoleName.REVIEWER in role_names(request.user) else "profile")


def health(request: HttpRequest) -> JsonResponse:
    """200 when the site can read its database; 503 as at every address while it cannot."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})


@require_GET
def ready(request: HttpRequest) -> JsonResponse:
    """200 when requests can be served; 503 while the database is away or this code's migrations are missing."""
    try:
        # Whether every migration of this code is applied; some ten milliseconds.
        executor = MigrationExecutor(connection)
        if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return JsonResponse({"status": "ok"})
        reason = "migrations of this version are not applied"
    except DatabaseError:
        reason = "the database does not answer"
    return JsonResponse({"status": "unavailable", "reason": reason}, status=503)


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Measures for Prometheus, for anyone with the deployment's token; 404 for everybody else."""
    given = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not compare_digest(given, f"Bearer {settings.METRICS_TOKEN}"):
        raise Http404
    with identities_readable():  # it counts what judges wait for
        measures = exposition()
    return HttpResponse(measures, content_type=CONTENT_TYPE_LATEST)


def too_many_attempts(request: HttpRequest) -> HttpResponse:
    """429 at a limit on sign-in, or 507: while the database takes no writes no attempt can be counted, and the cache,
    which keeps the reason to itself, lets that look like a limit."""
    if cache.add(key := uuid4().hex, True, timeout=1):
        cache.delete(key)
        return render(request, "429.html", status=429)
    return render(None, "errors/507.html", {"is_read": False}, status=507)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, 507 while the disk takes nothing, or 503 while the database is away or busy; without touching the database
    or the session."""
    error = sys.exc_info()[1]
    # Does the error, or one that led to it, say that a disk is full, read-only or gone? Waiting does not help then.
    disk_takes_nothing = any(
        (isinstance(one, OSError) and one.errno in _DISK and not isinstance(one, ConnectionError))
        or (isinstance(one, FileNotFoundError) and Path(str(one.filename)).parent == settings.UPLOAD_DIR)
        or (isinstance(one, OperationalError) and any(words in str(one) for words in _DISK_OF_DATABASE))
        or getattr(one, "pgcode", None) == READ_ONLY
        for one in _chain(error)
    )
    if disk_takes_nothing:
        if request.path.startswith("/api/"):
            return JsonResponse(_FULL, status=507)
        return render(None, "errors/507.html", {"is_read": request.method == "GET"}, status=507)
    # psycopg2 has no class of its own for a statement that was cut off: it raises DatabaseError itself.
    is_away = any(
        not any(words in str(one) for words in _FAULTY_STATEMENTS)
        for one in _chain(error)
        if isinstance(one, OperationalError | InterfaceError) or type(one) is DatabaseError
    )
    if not is_away:
        if request.path.startswith("/api/"):
            return JsonResponse(_FAULT, status=500)
        return render(None, "errors/500.html", status=500)
    if request.path.startswith("/api/"):
        response: HttpResponse = JsonResponse(_AWAY, status=503)
    else:
        response = render(None, "errors/503.html", {"is_read": request.method == "GET"}, status=503)
    response["Retry-After"] = "5"
    if request.method == "GET":  # what a form sent would be lost
        response["Refresh"] = "10"
    response["Cache-Control"] = "no-store"
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404, for a program in the shape of every refusal of REST."""
    if request.path.startswith("/api/"):
        return JsonResponse(_NOTHING_HERE, status=404)
    return page_not_found(request, exception)


_NOTHING_HERE = {
    "code": "not_found",
    "reason": "REST has no such address; /api/schema/ lists those that there are. Most end with a slash.",
    "line": None,
    "field": "",
}
_FAULT = {
    "code": "fault",
    "reason": "Something went wrong on the server. If it happens again, tell those who run it what you sent.",
    "line": None,
    "field": "",
}
_AWAY = {
    "code": "unavailable",
    "reason": "The database is not responding at the moment. Send the request again in a few seconds.",
    "line": None,
    "field": "",
}
_FULL = {
    "code": "disk",
    "reason": "The server’s disk is full or cannot be written, so what you sent was not stored. "
    "Tell those who run the server, and send it again afterwards.",
    "line": None,
    "field": "",
}
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}
_DISK_OF_DATABASE = (
    "database or disk is full",
    "attempt to write a readonly database",
    "No space left on device",
)
# What SQLite says as an operational error although only the statement is wrong.
_FAULTY_STATEMENTS = ("no such table", "no such column", "syntax error", "has no column")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
