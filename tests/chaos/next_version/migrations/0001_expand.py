"""Before the new code starts: a column that may be empty, so that the old code goes on writing rows without it."""

from django.db import migrations


class Migration(migrations.Migration):
    initial = True
    dependencies = [("annotation", "0001_initial")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE annotation_assignment ADD COLUMN times_moved integer NULL",
            "ALTER TABLE annotation_assignment DROP COLUMN times_moved",
        )
    ]
