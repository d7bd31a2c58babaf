"""Flags that a protocol puts on outputs at their import; never changed, gone only with their output."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from accounts.database.guards import Guard, install


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0007_not_released'),
    ]

    operations = [
        migrations.CreateModel(
            name='ProtocolFlag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=50)),
                ('certain', models.BooleanField()),
                ('reason', models.TextField()),
                ('found_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('output', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='protocol_flags', to='benchmark.output')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('output', 'kind'), name='protocol_flag_once_per_kind'), models.CheckConstraint(condition=models.Q(('kind', ''), ('reason', ''), _connector='OR', _negated=True), name='protocol_flag_says_what_and_why')],
            },
        ),
        install(
            [Guard("benchmark_protocolflag", "UPDATE", "TRUE", "benchmark_protocolflag never changes")]
        ),
    ]
