"""Public records: versions that never change and can be withdrawn once."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, install

_TABLE = "reports_publicrecord"
_KEPT = ("name", "version", "artifact_id", "archive_sha256", "published_at")
GUARDS = [
    Guard(
        _TABLE,
        "UPDATE",
        "OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL "
        "OR CAST(NEW.declared AS TEXT) <> CAST(OLD.declared AS TEXT) "
        + " ".join(f"OR NEW.{column} <> OLD.{column}" for column in _KEPT),
        "a public record never changes; it can be withdrawn once",
    ),
    Guard(_TABLE, "DELETE", "TRUE", "a public record is never removed"),
]


class Migration(migrations.Migration):

    dependencies = [
        ('reports', '0009_reports_per'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PublicRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100)),
                ('version', models.PositiveIntegerField()),
                ('declared', models.JSONField()),
                ('archive_sha256', models.CharField(max_length=64)),
                ('published_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('withdrawn_reason', models.TextField(blank=True)),
                ('artifact', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='records', to='reports.artifact')),
                ('published_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('name', 'version'), name='record_version_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='record_versions_from_one'), models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at', None), ('withdrawn_reason', '')), models.Q(('withdrawn_at__isnull', False), models.Q(('withdrawn_reason', ''), _negated=True)), _connector='OR'), name='record_withdrawn_with_a_reason')],
            },
        ),
        install(GUARDS),
    ]
