"""Every person gets the name under which their labels are published."""

from typing import Any

from django.db import migrations, models

import accounts.models

IMPORTED = "@imported.invalid"


def name_everybody(apps: Any, schema_editor: Any) -> None:
    """Imported raters are called as in their file; everybody else gets a name that tells nothing."""
    users = apps.get_model("accounts", "User")
    for user in users.objects.all().iterator():
        user.rater = user.name if user.email.endswith(IMPORTED) else accounts.models.new_rater()
        user.save(update_fields=["rater"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_preferences_and_erasure")]
    operations = [
        migrations.AddField(
            "user", "rater", models.CharField(max_length=500, null=True, default=None, editable=False)
        ),
        migrations.RunPython(name_everybody, migrations.RunPython.noop),
    ]
