"""The problem of a training item, whose files are shown. It may be NULL, so that SQLite does not rebuild the table."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0028_comments_from_elsewhere"), ("benchmark", "0014_pictures_in_texts")]
    operations = [
        migrations.AddField(
            "trainingitem",
            "instance",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="benchmark.instance",
            ),
        )
    ]
