"""No two people share the name of their labels."""

from django.db import migrations, models

import accounts.models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_raters")]
    operations = [
        migrations.AlterField(
            "user",
            "rater",
            models.CharField(
                max_length=500,
                unique=True,
                default=accounts.models.new_rater,
                editable=False,
                help_text="The name of this person in label tables; that of an imported rater is as in their file.",
            ),
        ),
    ]
