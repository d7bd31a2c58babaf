from django.db import migrations, models

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):
    dependencies = [("judging", "0003_programs")]
    operations = [
        migrations.AddField(
            model_name="call",
            name="token",
            field=models.UUIDField(
                editable=False,
                help_text="Given by the worker, so that no call is stored twice.",
                null=True,
                unique=True,
            ),
        ),
        install(append_only("judging_call")),  # SQLite rebuilds the table for the constraint
    ]
