"""Frozen tuples: what a comparison fixes, immutable, and the runs that belong to each."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

ELSEWHERE = (
    "(SELECT r.release_id FROM benchmark_run r WHERE r.id = NEW.run_id) "
    "<> (SELECT t.release_id FROM benchmark_frozentuple t WHERE t.id = NEW.tuple_id)"
)


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0005_import_uploads'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='FrozenTuple',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100)),
                ('split', models.CharField(max_length=100)),
                ('retrieval', models.CharField(max_length=500, verbose_name='retrieval artifact')),
                ('materialisation', models.CharField(max_length=500, verbose_name='materialisation log')),
                ('scoring', models.CharField(max_length=500, verbose_name='scoring artifact')),
                ('evaluated_on', models.DateField(verbose_name='date of the evaluation')),
                ('declared_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('declared_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tuples', to='benchmark.release')),
            ],
        ),
        migrations.CreateModel(
            name='TupledRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='tupled', to='benchmark.run')),
                ('tuple', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='benchmark.frozentuple')),
            ],
        ),
        migrations.AddConstraint(
            model_name='frozentuple',
            constraint=models.UniqueConstraint(fields=('release', 'name'), name='tuple_once_per_release'),
        ),
        migrations.AddConstraint(
            model_name='frozentuple',
            constraint=models.CheckConstraint(condition=models.Q(('name', ''), ('split', ''), ('retrieval', ''), ('materialisation', ''), ('scoring', ''), _connector='OR', _negated=True), name='tuple_says_everything'),
        ),
        install(
            [
                *append_only("benchmark_frozentuple"),
                *append_only("benchmark_tupledrun"),
                Guard("benchmark_tupledrun", "INSERT", ELSEWHERE, "a run belongs to a tuple of its release"),
            ]
        ),
    ]
