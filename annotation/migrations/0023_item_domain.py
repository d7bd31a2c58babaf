"""What every request for the next item asks of an item is in its own row: its domain, and whether it was revealed."""

from django.db import migrations, models

from accounts.database.guards import Guard, install

OTHER_DOMAIN = "NEW.domain <> (SELECT n.domain FROM benchmark_instance n WHERE n.id = NEW.instance_id)"
FILL = """
    UPDATE annotation_item SET
        domain = (SELECT n.domain FROM benchmark_instance n WHERE n.id = annotation_item.instance_id),
        revealed = EXISTS (
            SELECT 1 FROM annotation_calibrationitem k JOIN annotation_calibrationround v ON v.id = k.round_id
            WHERE k.item_id = annotation_item.id AND v.revealed_at IS NOT NULL
        )
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0022_conflicts_kept")]
    operations = [
        # in SQL, because Django would rebuild the table on SQLite, which drops its guards
        migrations.RunSQL(
            [
                "ALTER TABLE annotation_item ADD COLUMN domain varchar(100) DEFAULT '' NOT NULL",
                "ALTER TABLE annotation_item ADD COLUMN revealed bool DEFAULT false NOT NULL",
            ],
            [
                "ALTER TABLE annotation_item DROP COLUMN revealed",
                "ALTER TABLE annotation_item DROP COLUMN domain",
            ],
            state_operations=[
                migrations.AddField("item", "domain", models.CharField(db_default="", max_length=100)),
                migrations.AddField("item", "revealed", models.BooleanField(db_default=False)),
            ],
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        install(
            [
                Guard("annotation_item", event, OTHER_DOMAIN, "an item has the domain of its instance", part="domain")
                for event in ("INSERT", "UPDATE")
            ]
        ),
    ]
