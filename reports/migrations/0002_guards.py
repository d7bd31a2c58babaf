from django.db import migrations

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):
    dependencies = [("reports", "0001_initial")]
    operations = [install(append_only("reports_artifact"))]
