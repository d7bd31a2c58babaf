"""A frozen release, and a frozen run, refuse every change to themselves and to what they contain."""

from django.db import migrations

from accounts.database.guards import Guard, install


def frozen_itself(table: str, noun: str) -> list[Guard]:
    message = f"this {noun} is frozen"
    when = "OLD.frozen_at IS NOT NULL"
    return [Guard(table, "UPDATE", when, message), Guard(table, "DELETE", when, message)]


def frozen_parent(table: str, parent: str, column: str, noun: str) -> list[Guard]:
    message = f"its {noun} is frozen"

    def frozen(row: str) -> str:
        return f"EXISTS (SELECT 1 FROM {parent} p WHERE p.id = {row}.{column} AND p.frozen_at IS NOT NULL)"  # nosec # names from this file

    return [
        Guard(table, "INSERT", frozen("NEW"), message),
        Guard(table, "UPDATE", f"{frozen('OLD')} OR {frozen('NEW')}", message),
        Guard(table, "DELETE", frozen("OLD"), message),
    ]


class Migration(migrations.Migration):
    dependencies = [("benchmark", "0001_initial")]
    operations = [
        install(
            [
                *frozen_itself("benchmark_release", "release"),
                *frozen_parent("benchmark_paper", "benchmark_release", "release_id", "release"),
                *frozen_parent("benchmark_instance", "benchmark_release", "release_id", "release"),
                *frozen_itself("benchmark_run", "run"),
                *frozen_parent("benchmark_output", "benchmark_run", "run_id", "run"),
            ]
        )
    ]
