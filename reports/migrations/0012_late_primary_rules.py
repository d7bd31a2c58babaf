"""A primary exclusion rule may be late: it says so instead of being refused."""

from django.db import migrations

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):

    dependencies = [
        ('reports', '0011_answers_public'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='exclusionrule',
            name='exclusion_rule_late_is_not_primary',
        ),
        install(append_only("reports_exclusionrule")),  # SQLite made the table again without them
    ]
