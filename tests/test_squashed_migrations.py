"""A new database begins with one migration for each app; what it makes is what the single steps make."""

import os
import re
from pathlib import Path

import pytest
from django.db.migrations.loader import MigrationLoader

from tests.deployment import Deployment, empty_deployment

ON_SQLITE = (
    "SELECT m.name, c.name, c.type, c.\"notnull\", replace(c.dflt_value, 'false', '0'), c.pk "
    "FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'",
    'SELECT m.name, f."table", f."from", f."to" FROM sqlite_master m, pragma_foreign_key_list(m.name) f',
    "SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')",
)
ON_POSTGRESQL = (
    "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, is_identity "
    "FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace",
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
)
# A step wrote their conditions in other words, because SQLite was not to make the table again.
IN_OTHER_WORDS = {
    "campaign_condition_is_of_runs",
    "campaign_split_by_is_known",
    "grade_searches_0_to_1000",
}
STEP_BY_STEP = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
executor.loader.replace_migrations = False
executor.loader.build_graph()
replaced = [migration.replaces for migration in executor.loader.disk_migrations.values() if migration.replaces]
executor.migrate([steps[-1] for steps in replaced])
rest = MigrationExecutor(connection)
print([str(migration) for migration, _ in rest.migration_plan(rest.loader.graph.leaf_nodes()) if migration.replaces])
rest.migrate(rest.loader.graph.leaf_nodes())
"""


def described(deployment: Deployment) -> set[tuple[object, ...]]:
    """Columns, constraints, indexes, guards and their functions, in any order."""
    if deployment.database_url:
        found = {row for query in ON_POSTGRESQL for row in deployment.query(query)}
        found = {tuple(_named_as_at_once(cell) for cell in row) for row in found}
        return {row[:2] if row[1] in IN_OTHER_WORDS else row for row in found}
    tables = deployment.query("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    rows = {
        tuple(re.sub(r"\s+", " ", str(cell)) for cell in row)
        for query in ON_SQLITE
        for row in deployment.query(query)
    }
    return rows | {(name, found) for name, sql in tables for found in re.findall(r'CONSTRAINT "?(\w+)', sql)}


def _named_as_at_once(cell: object) -> object:
    """Django names the unique constraint of a field otherwise when a step adds it to a table that exists."""
    return re.sub(r"_[0-9a-f]{8}_uniq\b", "_key", cell) if isinstance(cell, str) else cell


def test_every_step_before_the_last_squashed_one_is_replaced() -> None:
    on_disk = MigrationLoader(None).disk_migrations
    squashed = {app: migration for (app, _), migration in on_disk.items() if migration.replaces}
    assert len(squashed) == 8
    for app, migration in squashed.items():
        steps = sorted(name for label, name in on_disk if label == app and name != migration.name)
        assert [name for _, name in migration.replaces] == steps[: len(migration.replaces)]


@pytest.mark.night
def test_the_single_steps_make_the_same_database(tmp_path: Path) -> None:
    with empty_deployment(tmp_path / "once") as once, empty_deployment(tmp_path / "steps") as steps:
        once.manage("migrate", "--verbosity", "0")
        assert steps.manage("shell", "-v0", "-c", STEP_BY_STEP).split() == ["[]"]
        assert bool(once.database_url) == bool(os.environ.get("DATABASE_URL"))
        of_once, of_steps = described(once), described(steps)
    assert len(of_once) > 1000
    assert of_once == of_steps
