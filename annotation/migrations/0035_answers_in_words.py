"""An answer in words has any length. SQLite rebuilds the table, which drops its guards."""

from django.db import migrations, models

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):
    dependencies = [("annotation", "0034_drawn_pairs_stay")]
    operations = [
        migrations.AlterField("answer", "value", models.TextField(blank=True)),
        install(append_only("annotation_answer")),
    ]
