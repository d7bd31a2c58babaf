"""Forms that are being written in the browser."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

SOMEBODY = {"on_delete": django.db.models.deletion.PROTECT, "related_name": "+", "to": settings.AUTH_USER_MODEL}


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0024_highlights"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="RubricDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("protocol", models.CharField(max_length=50)),
                ("content", models.JSONField()),
                ("saves", models.PositiveIntegerField(default=1)),
                ("saved_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("created_by", models.ForeignKey(**SOMEBODY)),
                ("saved_by", models.ForeignKey(**SOMEBODY)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(saves__gte=1), name="rubric_draft_was_saved")
                ]
            },
        ),
    ]
