"""After the last process of the old code has ended: nothing writes the column empty any more, and the rest is filled.

The rule is added without a look at the rows, which needs a lock for a moment only, and checked afterwards.
"""

from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("next_version", "0002_fill")]
    operations = [
        migrations.RunSQL(
            [
                "ALTER TABLE annotation_assignment ALTER COLUMN times_moved SET DEFAULT 0",
                "UPDATE annotation_assignment SET times_moved = 0 WHERE times_moved IS NULL",
                "ALTER TABLE annotation_assignment ADD CONSTRAINT times_moved_is_known"
                " CHECK (times_moved IS NOT NULL) NOT VALID",
                "ALTER TABLE annotation_assignment VALIDATE CONSTRAINT times_moved_is_known",
            ],
            migrations.RunSQL.noop,
        )
    ]
