from django.db import migrations

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [install(append_only("accounts_auditevent"))]
