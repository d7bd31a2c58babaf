"""A pooler that shares sessions between transactions is noticed, refused, and can be declared.

The poolers here are doubles that hand out sessions as PgBouncer does; `make production` asks a real one.
"""

import os
import subprocess
import sys
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as now
from django.contrib.auth.models import AnonymousUser
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.test import RequestFactory

from accounts.database import pooling
from accounts.database.sight import BlindUnlessStaff


class Pooler:
    """Connections that are given a session for each transaction: the one used last, or in turns."""

    def __init__(self, sessions: int, *, in_turns: bool = False) -> None:
        self.free, self.in_turns = deque(range(sessions)), in_turns

    def copy(self) -> "Pooled":
        return Pooled(self)


class Pooled:
    def __init__(self, pooler: Pooler) -> None:
        self.pooler, self.keeps, self.given = pooler, False, None

    def set_autocommit(self, value: bool) -> None:
        self.keeps = not value

    def cursor(self) -> "Pooled":
        return self

    def __enter__(self) -> "Pooled":
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to close."""

    def execute(self, sql: str) -> None:
        self.given = self.pooler.free.popleft()
        if not self.keeps:
            self._give_back()

    def fetchone(self) -> tuple[int | None]:
        return (self.given,)

    def close(self) -> None:
        if self.keeps:
            self._give_back()

    def _give_back(self) -> None:
        (self.pooler.free.append if self.pooler.in_turns else self.pooler.free.appendleft)(self.given)


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(pooler: Any) -> None:
        pooling.refuse_undeclared_pooler.cache_clear()
        monkeypatch.setattr(pooling, "connection", SimpleNamespace(vendor="postgresql", copy=pooler.copy))

    yield put
    pooling.refuse_undeclared_pooler.cache_clear()


@pytest.mark.parametrize("in_turns", [False, True])
@pytest.mark.parametrize("sessions", [1, 2, 3, 20])
def test_sessions_shared_between_transactions_are_noticed_however_they_are_handed_out(
    behind: Any, sessions: int, in_turns: bool
) -> None:
    behind(Pooler(sessions, in_turns=in_turns))
    assert pooling.sessions_are_shared()


@pytest.mark.django_db(transaction=True)
def test_the_database_of_this_run_gives_each_connection_a_session_of_its_own() -> None:
    assert not pooling.sessions_are_shared()
    assert [message for message in run_checks(databases=["default"]) if message.id == "platform.E006"] == []


def test_the_check_of_the_database_names_the_pooler_unless_it_was_declared(
    behind: Any, settings: Any
) -> None:
    behind(Pooler(2))
    assert "pooler that shares sessions" in pooling.pooler_fault()
    settings.TRANSACTION_POOLER = True
    assert pooling.pooler_fault() == ""


def test_a_server_that_starts_refuses_the_pooler_but_not_a_database_that_is_away(
    behind: Any, caplog: pytest.LogCaptureFixture
) -> None:
    class Away:
        def copy(self) -> Any:
            raise OperationalError("nobody listens")

    behind(Away())
    pooling.refuse_undeclared_pooler_at_start()
    assert "nobody listens" in caplog.text
    behind(Pooler(2))
    with pytest.raises(
        ImproperlyConfigured, match="TOUCHSTONE_TRANSACTION_POOLER=1, without TOUCHSTONE_BLIND_ROLE"
    ):
        pooling.refuse_undeclared_pooler_at_start()


def test_no_blinded_request_is_answered_behind_a_pooler_that_was_not_seen_at_start(
    behind: Any, settings: Any
) -> None:
    settings.BLIND_ROLE = "touchstone_blind"
    behind(Pooler(2))
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    with pytest.raises(ImproperlyConfigured, match="shares sessions"):
        BlindUnlessStaff(lambda asked: pytest.fail("the view was called"))(request)


@pytest.mark.parametrize(("role", "code"), [("", 0), ("touchstone_blind", 1)])
def test_a_declared_pooler_and_the_blind_role_exclude_each_other(tmp_path: Any, role: str, code: int) -> None:
    show = "from config import settings as s;print(s.DATABASES['default']['DISABLE_SERVER_SIDE_CURSORS'])"
    environment = {
        **os.environ,
        "DATABASE_URL": "postgres://nobody@127.0.0.1/none",
        "TOUCHSTONE_DEMO": "1",
        "TOUCHSTONE_RUNTIME_DIR": str(tmp_path),
        "TOUCHSTONE_TRANSACTION_POOLER": "1",
        "TOUCHSTONE_BLIND_ROLE": role,
    }
    done = subprocess.run(
        [sys.executable, "-c", show], cwd=now.BASE_DIR, env=environment, capture_output=True, text=True
    )
    assert done.returncode == code
    if code:
        assert "sessions are shared" in done.stderr
    else:
        assert done.stdout.split() == ["True"]
