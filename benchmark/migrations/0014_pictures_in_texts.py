"""What a text calls a picture that it shows. It may be NULL, so that SQLite adds it without rebuilding the table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmark", "0013_files")]
    operations = [migrations.AddField("attachment", "shown_as", models.JSONField(null=True))]
