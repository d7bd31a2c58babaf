"""The states of endpoints move here from judging; the table stays as it is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [("judging", "0011_one_table_of_verdicts")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="EndpointState",
                    fields=[
                        ("id", models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            )),
                        ("name", models.CharField(max_length=100, unique=True)),
                        (
                            "failures",
                            models.PositiveIntegerField(default=0, help_text="Calls in a row that failed."),
                        ),
                        (
                            "times_opened",
                            models.PositiveIntegerField(
                                default=0, help_text="In a row, without a success between."
                            ),
                        ),
                        ("open_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "probing",
                            models.BooleanField(default=False, help_text="One call is on its way to find out."),
                        ),
                        ("last_error", models.TextField(blank=True)),
                        ("next_turn_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={"db_table": "judging_endpointstate"},
                )
            ]
        )
    ]
