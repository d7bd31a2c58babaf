"""The fixed cast, and what every test needs of the database."""

import os
import shutil
import subprocess
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import cache as keep
from functools import lru_cache
from itertools import count, groupby
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.hashers import ScryptPasswordHasher, make_password
from django.core.cache import cache
from django.core.management.commands import flush
from django.core.signals import request_finished, request_started
from django.db import OperationalError, close_old_connections, connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.postgresql.operations import DatabaseOperations as PostgreSQLOperations
from django.db.backends.sqlite3.base import DatabaseWrapper

import latex
from accounts.models import User
from benchmark.files import actions as files
from benchmark.rendering import stored as rendering
from benchmark.rendering.actions import render_waiting
from construction.reading import process
from reports.core import measurements
from reports.status.state import beat_heart
from tests.databases import ON_BOTH, ON_POSTGRESQL
from tests.deployment import SQLITE, migrated_once
from tests.factories import ExpertiseFactory, RoleFactory, UserFactory

HERE = Path(__file__).parent
# SQLite has no roles; what is tried there is that the setting is refused.
collect_ignore = [] if connection.vendor == "postgresql" else ["accounts/test_blind_role.py"]
PASSWORD = "correct horse battery staple"


@pytest.fixture
def console(request: pytest.FixtureRequest) -> Iterator[None]:
    """For `manage.py api`: a test's transaction would end with the connection that a request closes; Django's test
    client does the same."""
    if request.node.get_closest_marker("django_db").kwargs.get("transaction"):
        yield
        return
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@contextmanager
def without_guards(cursor: Any, of: Container[str] | None = None) -> Iterator[None]:
    """No guards within the block: on SQLite none on the tables `of`, or on any; on PostgreSQL no triggers at all.

    What was measured of frozen rows is forgotten, for they may be others afterwards.
    """
    measurements._measured_once.cache_clear()
    if connection.vendor == "postgresql":
        cursor.execute("SET session_replication_role = replica")
        yield
        cursor.execute("SET session_replication_role = DEFAULT")
        return
    cursor.execute(
        "SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'guard_%'"
    )
    guards = [(name, sql) for name, sql, table in cursor.fetchall() if of is None or table in of]
    for name, _ in guards:
        cursor.execute(f"DROP TRIGGER {name}")
    try:
        yield
    finally:
        for _, sql in guards:
            cursor.execute(sql)


def _flush_past_the_guards(operations: Any, sql_list: list[str]) -> None:
    """Django empties SQLite's tables with DELETE, which the guards refuse: lift them for the flush only.

    What has rows is looked up inside the transaction: before it, a request that a closed page had sent could add some.
    """
    with transaction.atomic(using=operations.connection.alias), operations.connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(f'EXISTS (SELECT 1 FROM "{table}")' for table in sql_list))
        full = [table for table, has_rows in zip(sql_list, cursor.fetchone(), strict=True) if has_rows]
        with without_guards(cursor, of=set(full)):
            for table in full:
                cursor.execute(f'DELETE FROM "{table}"')


KNOW_NO_DATABASE = tuple(
    HERE / part
    for part in (
        *("algebra", "stats", "latex", "llm", "retrieval", "sample"),
        # What a page looks like is the same on every database; what it does is tried on both.
        *("browser/test_math_rendering.py", "browser/test_every_page.py", "browser/test_typeset.py"),
        *("browser/test_foreign_texts.py", "browser/test_printed_formulas.py", "browser/test_harness.py"),
        *("browser/test_reading_order.py", "browser/test_grading_access.py"),
        # What the server does with a file and a plan is in reports/test_analyse_pages.py and test_planner_pages.py.
        "browser/test_analyse_pages.py",
        "benchmark/test_sixth_protocol.py",  # its copy of the project has a SQLite of its own in either run
    )
)

# Of several processes none is to begin one of these at the end and let the others wait; the longest first.
LONGEST = tuple(
    HERE / part
    for part in (
        *("browser/test_every_page.py", "browser/test_foreign_texts.py", "browser/test_faults.py"),
        *("construction/test_builds.py", "browser/test_study_from_folder.py", "search/test_sources.py"),
        *("browser/test_reading.py", "reports/test_status.py"),
        *("browser/test_release_from_archives.py", "construction/test_sources.py", "latex/test_growth.py"),
        *("annotation/test_authorship.py", "test_typed_texts.py", "browser/test_own_scale.py"),
        *("browser/test_whole_study.py", "chaos/test_deploying.py", "browser/test_five_protocols.py"),
        *("test_canaries.py", "chaos/test_grading.py", "annotation/test_concurrency.py", "test_access.py"),
        *("reports/test_random_requests.py", "judging/test_survival.py", "judging/test_stopping.py"),
        *("test_restore.py", "benchmark/test_sixth_protocol.py", "reports/test_artifact_elsewhere.py"),
        *(
            "chaos/test_away.py",
            "chaos/test_embedded.py",
            "chaos/test_importing.py",
            "reports/test_theorem_search.py",
            "reports/test_report_printing.py",
        ),
        *("reports/test_report_jobs.py", "browser/test_grading.py", "reports/test_artifacts.py"),
        "solving/test_batches_killed.py",
    )
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """To read all tests takes each process eight seconds; a run need not read what it will not run."""
    if config.getoption("--of-postgresql") and collection_path.name.startswith("test_"):
        return collection_path not in ON_BOTH | ON_POSTGRESQL or None
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark on which database each test runs (tests/databases.py). Several processes begin with the longest files."""
    for path, of_file in groupby(items, lambda item: item.path):
        marks = []
        if path in ON_BOTH:
            marks.append(pytest.mark.both)
        elif path in ON_POSTGRESQL:
            marks.append(pytest.mark.postgresql)
        if any(path.is_relative_to(part) for part in KNOW_NO_DATABASE):
            marks.append(pytest.mark.no_database)
        for item in of_file if marks else ():
            for mark in marks:
                item.add_marker(mark)
    if hasattr(config, "workerinput"):
        place = {path: number for number, path in enumerate(LONGEST)}
        items.sort(key=lambda item: place.get(item.path, len(place)))


# What a migration writes, and what the tests of a flushed database find again; writing it again takes longer than
# all the rest of a flush.
KEPT = {"django_content_type", "auth_permission"}
LARGE = 1 << 20  # bytes of rows that no file of tests needs


def _flush_all_but_what_is_kept(style: Any, database: Any, **options: Any) -> list[str]:
    """Of a hundred tables a test fills ten, and to empty an empty one is not free."""
    tables = sorted(
        set(database.introspection.django_table_names(only_existing=True, include_views=False)) - KEPT
    )
    if database.vendor == "sqlite" and not options.get("reset_sequences"):
        return tables  # for _flush_past_the_guards
    if not options.get("reset_sequences"):
        with database.cursor() as cursor:
            cursor.execute("SHOW is_superuser")
            if cursor.fetchone() == ("on",):
                return _deletes(tables)
    return list(database.ops.sql_flush(style, tables, **options))


def _deletes(tables: list[str]) -> list[str]:
    """Like TRUNCATE, which makes new files for every table and index, these wait for requests that still write."""
    names = ", ".join(f'"{table}"' for table in tables)
    deletes = "".join(f'DELETE FROM "{table}"; ' for table in tables)
    return [
        f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE",
        "SET LOCAL session_replication_role = replica",  # without guards and foreign keys
        f"DO $$ BEGIN {deletes} END $$",
    ]


def _flush_after_latecomers(operations: PostgreSQLOperations, sql_list: list[str]) -> None:
    """A request that a closed browser page had sent may still be served: let it end when it is in the way."""
    for tries_left in reversed(range(10)):
        try:
            return BaseDatabaseOperations.execute_sql_flush(operations, sql_list)
        except OperationalError as error:
            if "deadlock" not in str(error) or not tries_left:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """SQLite's test database begins as a copy, which Django is not to delete; its folder goes with the process."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Test databases begin migrated: every process of the run copies the one that the first of them made."""
    migrated = migrated_once(os.environ.get("DATABASE_URL", ""))
    if connection.vendor == "sqlite":
        shutil.copyfile(migrated.folder / SQLITE, connection.settings_dict["TEST"]["NAME"])
        # No test cuts the power: like PostgreSQL's (tools/servers.py), its commits need not reach the disk.
        options = connection.settings_dict["OPTIONS"]
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")
    else:
        connection.settings_dict["TEST"]["TEMPLATE"] = migrated.database_name


@pytest.fixture(scope="module")
def rows_of_the_module(django_db_setup: None, django_db_blocker: Any) -> Iterator[Any]:
    """`with rows_of_the_module(): ...` in a module's fixture writes rows that all tests of the file begin with.

    They are in a transaction around the tests' own, so that each test undoes what it does and the file all the rest.
    """
    with django_db_blocker.unblock():
        around = transaction.atomic()
        around.__enter__()
    yield django_db_blocker.unblock
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


@pytest.fixture(autouse=True, scope="module")
def _dead_rows_go(request: pytest.FixtureRequest) -> None:
    """Rows that tests roll back stay in PostgreSQL's files where nothing cleans up behind them (tools/servers.py)."""
    if connection.vendor != "postgresql":
        return
    request.getfixturevalue("django_db_setup")
    with request.getfixturevalue("django_db_blocker").unblock(), connection.cursor() as cursor:
        cursor.execute("SHOW autovacuum")
        if cursor.fetchone() == ("on",):
            return
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            " AND relname <> ALL (%s) AND pg_relation_size(oid) > %s",
            [list(KEPT), LARGE],
        )
        if large := ", ".join(f'"{table}"' for (table,) in cursor.fetchall()):
            with transaction.atomic():
                cursor.execute("SET LOCAL session_replication_role = replica")  # without guards
                cursor.execute(f"TRUNCATE {large} CASCADE")


@pytest.fixture(autouse=True, scope="session")
def _guards_survive_flushes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseWrapper.ops_class, "execute_sql_flush", _flush_past_the_guards)
        patch.setattr(PostgreSQLOperations, "execute_sql_flush", _flush_after_latecomers, raising=False)
        patch.setattr(flush, "sql_flush", _flush_all_but_what_is_kept)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_: None)  # it would write what is kept
        yield


@pytest.fixture(autouse=True, scope="session")
def _passwords_are_hashed_quickly() -> Iterator[None]:
    """With 2 rounds of scrypt, not 16,384: a quarter of a second each that says nothing about the platform."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScryptPasswordHasher, "work_factor", 2)
        patch.setattr(ScryptPasswordHasher, "parallelism", 1)
        yield


@pytest.fixture(autouse=True, scope="session")
def idle_readers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that read sources: each takes half a second of the processor to start, and those of one test serve
    the next."""
    start, idle = process._started, []

    def started() -> subprocess.Popen[bytes]:
        return idle.pop() if idle else start()

    def leave(reader: process.Reader, *error: object) -> None:
        if reader._process is not None and reader._process.poll() is None:
            idle.append(reader._process)
            reader._process = None
        reader._end()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "_started", started)
        patch.setattr(process.Reader, "__exit__", leave)
        yield idle
    for one in idle:
        one.communicate()


@pytest.fixture(autouse=True, scope="session")
def _clean_copies_are_kept() -> Iterator[None]:
    """The same bytes have the same clean copy; a process for each costs a third of a second of the processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "cleaned", keep(files.cleaned))
        yield


@pytest.fixture(autouse=True, scope="session")
def _equal_texts_are_rendered_once() -> Iterator[None]:
    """As workers do it. KaTeX tries every formula of a text, which many tests take from the same samples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(latex, "render_checked", lru_cache(maxsize=1000)(latex.render_checked))
        yield


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """And no measurements in memory: made-up rows have made-up hashes."""
    cache.clear()
    measurements._measured_once.cache_clear()


@pytest.fixture(autouse=True)
def worker_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that renders a text as soon as a page misses it; tests of waiting take it away (`no_worker`)."""
    monkeypatch.setattr(rendering, "call_worker", lambda *_: render_waiting())


@pytest.fixture(autouse=True)
def worker_was_seen() -> None:
    """A worker's heartbeat, as where one is at work; without it every page of the staff looks for waiting jobs."""
    beat_heart()


@pytest.fixture
def no_worker(worker_is_quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is rendered until a test calls `render_waiting`."""
    monkeypatch.setattr(rendering, "call_worker", lambda *_: None)


@keep
def hashed_password() -> str:
    """Hashing is slow on purpose; the whole cast shares one password, hashed once."""
    return make_password(PASSWORD)


def member(email: str, name: str, role: str, *domains: str) -> User:
    user = UserFactory(email=email, name=name, password=hashed_password())
    RoleFactory(user=user, name=role)
    for domain in domains:
        ExpertiseFactory(user=user, domain=domain)
    return user


@pytest.fixture
def owner(db: None) -> User:
    return member("olga@study.test", "Olga Owner", "owner")


@pytest.fixture
def coordinator(db: None) -> User:
    return member("carl@study.test", "Carl Coordinator", "coordinator")


@pytest.fixture
def algebraist(db: None) -> User:
    return member("ada@study.test", "Ada Algebraist", "reviewer", "algebra")


@pytest.fixture
def analyst(db: None) -> User:
    return member("emil@study.test", "Emil Analyst", "reviewer", "analysis")


@pytest.fixture
def geometer(db: None) -> User:
    return member("sofia@study.test", "Sofia Geometer", "reviewer", "geometry")


@pytest.fixture
def stranger(db: None) -> User:
    """A signed-up person without any role."""
    return UserFactory(email="sven@study.test", name="Sven Stranger", password=hashed_password())


@pytest.fixture(scope="session")
def folders_of_records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names of folders that are not there yet. A folder made for each test costs more than most tests do: pytest looks
    through those of all tests before."""
    above = tmp_path_factory.mktemp("records")
    return (above / str(number) for number in count())


@pytest.fixture(autouse=True)
def records_of_their_own(monkeypatch: pytest.MonkeyPatch, folders_of_records: Iterator[Path]) -> None:
    """What one test publishes is public in no other. Some tests have parameters called `settings`."""
    monkeypatch.setattr(django_settings, "RECORD_DIR", next(folders_of_records))
