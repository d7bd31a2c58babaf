"""Exclusion rules: declared once, never changed."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0004_release_description'),
        ('reports', '0005_history'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ExclusionRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100)),
                ('grounds', models.JSONField()),
                ('at_least', models.PositiveSmallIntegerField()),
                ('primary', models.BooleanField(default=False)),
                ('late', models.BooleanField(default=False)),
                ('reason', models.TextField()),
                ('declared_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('declared_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusion_rules', to='benchmark.release')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'name'), name='exclusion_rule_once_by_name'), models.UniqueConstraint(condition=models.Q(('primary', True)), fields=('release',), name='exclusion_rule_one_primary'), models.CheckConstraint(condition=models.Q(('at_least__range', (1, 25))), name='exclusion_rule_at_least_1_to_25'), models.CheckConstraint(condition=models.Q(('primary', False), ('late', False), _connector='OR'), name='exclusion_rule_late_is_not_primary'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='exclusion_rule_says_why')],
            },
        ),
        install(append_only("reports_exclusionrule")),
    ]
