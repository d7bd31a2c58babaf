"""The guards that the migrations declare."""

from django.db.migrations.loader import MigrationLoader

from accounts.database.guards import Guard, InstallGuards, RetireGuards


def declared_guards() -> dict[str, Guard]:
    """Every guard that the migrations install and none retires, by its name in the database; later ones win."""
    migrations = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    declared: dict[str, Guard] = {}
    for key in sorted(migrations):
        for operation in migrations[key].operations:
            if isinstance(operation, InstallGuards):
                declared |= {guard.name: guard for guard in operation.guards}
            elif isinstance(operation, RetireGuards):
                for guard in operation.guards:
                    declared.pop(guard.name, None)
    return declared
