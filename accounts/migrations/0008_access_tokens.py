"""Access tokens get a scope, an expiry date and a tie to the password under which they were made.

Tokens made before are revoked: nobody was asked for a password when they were made, and they never expired.
"""

import datetime as dt

from django.db import migrations, models
from django.db.models import F
from django.utils import timezone


def revoke_all(apps, schema_editor):
    """Stop every token; one second after it was made counts as its end."""
    tokens = apps.get_model("accounts", "AccessToken").objects
    tokens.filter(revoked_at=None).update(revoked_at=timezone.now())
    tokens.update(expires_at=F("created_at") + dt.timedelta(seconds=1))


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_saved_comments")]

    operations = [
        migrations.AddField(
            "accesstoken",
            "scope",
            models.CharField(
                choices=[("read", "Read"), ("grade", "Read and grade"), ("manage", "Everything you may do")],
                default="read",
                max_length=10,
            ),
        ),
        migrations.AddField(
            "accesstoken",
            "password_mark",
            models.CharField(default="", editable=False, max_length=64),
            preserve_default=False,
        ),
        migrations.AddField("accesstoken", "last_used_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("accesstoken", "expires_at", models.DateTimeField(null=True)),
        migrations.RunPython(revoke_all, migrations.RunPython.noop),
    ]
