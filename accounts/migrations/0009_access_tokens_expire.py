"""Every access token has an expiry date. Apart from 0008, since PostgreSQL alters no table with rows just changed."""

from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("accounts", "0008_access_tokens")]

    operations = [
        migrations.AlterField("accesstoken", "expires_at", models.DateTimeField()),
        migrations.AddConstraint(
            "accesstoken",
            models.CheckConstraint(
                condition=Q(scope__in=["read", "grade", "manage"]), name="access_token_scope_is_known"
            ),
        ),
        migrations.AddConstraint(
            "accesstoken",
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="access_token_expires_after_it_was_made"
            ),
        ),
    ]
