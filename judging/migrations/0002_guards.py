from django.db import migrations

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]
    operations = [
        install(
            [
                *append_only("judging_judge"),
                *append_only("judging_call"),
                *append_only("judging_verdict"),
            ]
        )
    ]
