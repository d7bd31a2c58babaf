"""What programs said of instances moves into the table of all verdicts."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from accounts.database.guards import append_only, retire

BATCH = 1000
KEPT = ("judge_id", "instance_id", "predicate", "value", "state", "reason", "evidence", "created_at")


def move(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Every row unchanged, in the order of its number."""
    said = apps.get_model("judging", "InstanceVerdict").objects.order_by("pk").values(*KEPT)
    verdicts = apps.get_model("judging", "Verdict")
    rows = []
    for row in said.iterator(chunk_size=BATCH):
        rows.append(verdicts(**row))
        if len(rows) == BATCH:
            verdicts.objects.bulk_create(rows)
            rows = []
    verdicts.objects.bulk_create(rows)


class Migration(migrations.Migration):
    dependencies = [("judging", "0010_instances_in_the_queue")]
    operations = [
        migrations.RunPython(move),
        retire(append_only("judging_instanceverdict")),
        migrations.DeleteModel(name="InstanceVerdict"),
    ]
