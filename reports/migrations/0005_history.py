import django.utils.timezone
from django.db import migrations, models

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):
    dependencies = [("reports", "0004_report_jobs")]
    operations = [
        migrations.CreateModel(
            name="HistoryLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveBigIntegerField(unique=True)),
                ("kind", models.CharField(max_length=20)),
                ("version", models.PositiveSmallIntegerField(help_text="Which columns were hashed.")),
                ("row", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("chain", models.CharField(max_length=64)),
                ("sealed_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "row"), name="history_row_sealed_once"),
                    models.CheckConstraint(
                        condition=models.Q(("position__gte", 1)), name="history_position_from_one"
                    ),
                ],
            },
        ),
        install(append_only("reports_historylink")),
    ]
