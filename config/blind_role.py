"""What the role of blinded requests may do in PostgreSQL: everything but read who wrote what and what judges said.

Withheld by name; the rest is granted, so that a new table of a reviewer's path needs no line here. A table that
was made after the last `grant_blind_role` is granted to nobody: the mistake that can be made fails closed.
"""

from collections.abc import Iterator

from django.apps import apps
from django.db import connection

WITHHELD = (
    "benchmark.System",
    "benchmark.Run",
    "benchmark.UnreleasedOutput",
    "benchmark.FrozenTuple",
    "benchmark.TupleFile",
    "benchmark.TupleFilePart",
    "benchmark.ImportUpload",
    "benchmark.IdentityScan",
    "benchmark.IdentityWord",
    "benchmark.ProtocolFlag",
    "benchmark.Settlement",
    "benchmark.OriginalFile",
    "annotation.CampaignSetup",
    "annotation.ConflictTarget",
    "annotation.ConflictsFixed",
    "reports.Artifact",
    "reports.KeptScore",
    "reports.ReportJob",
)
WITHHELD_APPS = ("judging", "construction", "solving", "work")
# Written on every path, read by staff only. INSERT gives the new row's number back, which takes that one column.
WRITE_ONLY = ("accounts.AuditEvent", "search.Query", "search.Feedback")


def withheld_tables() -> list[str]:
    """Names of tables of which the role may read nothing, in alphabetical order."""
    models = [apps.get_model(label) for label in WITHHELD]
    for app in WITHHELD_APPS:
        models += apps.get_app_config(app).get_models()
    return sorted(model._meta.db_table for model in models)


def write_only_tables() -> list[str]:
    """Names of tables to which the role may add rows that it cannot read."""
    return sorted(apps.get_model(label)._meta.db_table for label in WRITE_ONLY)


def statements(role: str) -> Iterator[str]:
    """SQL for the owner of the tables, in order; run again after each migration. `role` is made if it is missing."""
    name = connection.ops.quote_name(role)
    yield (
        f"DO $$ BEGIN CREATE ROLE {name} NOLOGIN; "
        "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )
    yield f"GRANT {name} TO CURRENT_USER"
    yield f"GRANT USAGE ON SCHEMA public TO {name}"
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {name}"
    yield f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {name}"
    for table in withheld_tables():
        yield f"REVOKE ALL ON {connection.ops.quote_name(table)} FROM {name}"
    for table in write_only_tables():
        quoted = connection.ops.quote_name(table)
        yield f"REVOKE ALL ON {quoted} FROM {name}"
        yield f"GRANT INSERT, SELECT (id) ON {quoted} TO {name}"


def faults(role: str) -> list[str]:
    """What is wrong with the role in this database; empty if it holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [role])
        row = cursor.fetchone()
        if row is None:
            return [f"there is no role {role}"]
        found = [f"{role} is a superuser"] if row[0] else []
        cursor.execute("SELECT pg_has_role(current_user, %s, 'MEMBER')", [role])
        if not cursor.fetchone()[0]:
            found.append(f"the user of DATABASE_URL may not act as {role}")
        for table in (*withheld_tables(), *write_only_tables()):
            cursor.execute("SELECT has_table_privilege(%s, %s, 'SELECT')", [role, table])
            if cursor.fetchone()[0]:
                found.append(f"{role} can read {table}")
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
            "AND relkind IN ('r', 'p') AND NOT has_table_privilege(%s, oid, 'INSERT') ORDER BY relname",
            [role],
        )
        missing = {name for (name,) in cursor.fetchall()} - set(withheld_tables())
    return found + [f"{role} may not use {name}" for name in sorted(missing)]
