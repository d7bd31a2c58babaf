"""The states of endpoints belong to the app work now; the table stays as it is."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judging", "0011_one_table_of_verdicts"), ("work", "0001_initial")]
    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name="EndpointState")])
    ]
