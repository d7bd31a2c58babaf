"""Memory is append-only; solvers, banks and block lists never change; what a published run came to stays as it is."""

from django.db import migrations

from accounts.database.guards import Guard, append_only, install

GUARDS = [
    *append_only("solving_memoryentry"),
    *append_only("solving_solver"),
    *append_only("solving_material"),
    Guard(
        "solving_attempt",
        "UPDATE",
        "OLD.state = 'ended' AND (NEW.state <> OLD.state OR NEW.outcome <> OLD.outcome"
        " OR NEW.ended_because <> OLD.ended_because OR NEW.result <> OLD.result)",
        "an attempt that has ended does not change",
    ),
    Guard("solving_attempt", "DELETE", "TRUE", "attempts are kept"),
]


class Migration(migrations.Migration):
    dependencies = [("solving", "0001_initial")]

    operations = [install(GUARDS)]
