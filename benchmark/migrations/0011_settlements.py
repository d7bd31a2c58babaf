"""What people said to open cases: kept for good, withdrawn once."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, install

TEXT = " OR ".join(
    f"NEW.{column} <> OLD.{column}" for column in ("pair", "found", "wanted", "verdict", "note", "release_id", "decided_by_id", "decided_at")
)


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0010_identity_words'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Settlement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pair', models.CharField(max_length=64)),
                ('found', models.JSONField()),
                ('wanted', models.JSONField()),
                ('verdict', models.CharField(choices=[('same', 'Same work'), ('different', 'Different works')], max_length=20)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='settlements', to='benchmark.release')),
                ('withdrawn_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'pair'], name='settlement_by_pair')],
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['same', 'different'])), name='settlement_verdict_is_known'), models.CheckConstraint(condition=models.Q(('pair', ''), _negated=True), name='settlement_names_its_pair'), models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at', None), ('withdrawn_by', None)), models.Q(('withdrawn_at__isnull', False), ('withdrawn_by__isnull', False)), _connector='OR'), name='settlement_withdrawn_by_somebody')],
            },
        ),
        install(
            [
                Guard(
                    "benchmark_settlement",
                    "UPDATE",
                    f"OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR {TEXT}",
                    "a settlement is withdrawn once, not changed",
                ),
                Guard("benchmark_settlement", "DELETE", "TRUE", "a settlement stays in the history"),
            ]
        ),
    ]
