"""What conflicts of interest mean, fixed per campaign, and the items they exclude; systems named in free words."""

from importlib import import_module

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

guesses = import_module("annotation.migrations.0010_guesses")
EXCLUDED = (
    "EXISTS (SELECT 1 FROM annotation_exclusion e WHERE e.item_id = NEW.item_id AND e.reviewer_id = NEW.reviewer_id)"
)

class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_conflicts_decided'),
        ('annotation', '0020_side_drafts'),
        ('benchmark', '0008_protocol_flags'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ConflictsFixed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('targets', models.JSONField(default=list, help_text='Pairs of kind and key.')),
                ('fixed_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='ConflictTarget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('system', 'System'), ('paper', 'Paper'), ('problem', 'Problem')], max_length=20)),
                ('key', models.CharField(max_length=301)),
            ],
        ),
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
        ),
        migrations.CreateModel(
            name='LeastAuthors',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('least', models.PositiveSmallIntegerField()),
                ('set_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.AddField(
            model_name='systemguess',
            name='named',
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddConstraint(
            model_name='systemguess',
            constraint=models.CheckConstraint(condition=models.Q(('named', ''), ('system__isnull', True), _connector='OR'), name='guess_named_or_chosen'),
        ),
        migrations.AddField(
            model_name='conflictsfixed',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflicts_fixed', to='annotation.campaign'),
        ),
        migrations.AddField(
            model_name='conflictsfixed',
            name='reviewer',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='conflicts_fixed', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='conflicttarget',
            name='conflict',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='targets', to='accounts.conflict'),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='annotation.item'),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='reviewer',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='leastauthors',
            name='campaign',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='least_authors', to='annotation.campaign'),
        ),
        migrations.AddField(
            model_name='leastauthors',
            name='set_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='conflictsfixed',
            index=models.Index(fields=['reviewer', 'campaign'], name='conflicts_fixed_by_reviewer'),
        ),
        migrations.AddConstraint(
            model_name='conflicttarget',
            constraint=models.UniqueConstraint(fields=('conflict', 'kind', 'key'), name='conflict_target_once'),
        ),
        migrations.AddConstraint(
            model_name='conflicttarget',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['system', 'paper', 'problem'])), name='conflict_target_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='conflicttarget',
            constraint=models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='conflict_target_names_something'),
        ),
        migrations.AddConstraint(
            model_name='exclusion',
            constraint=models.UniqueConstraint(fields=('item', 'reviewer'), name='exclusion_once'),
        ),
        migrations.AddConstraint(
            model_name='leastauthors',
            constraint=models.CheckConstraint(condition=models.Q(('least__range', (1, 100))), name='least_authors_1_to_100'),
        ),
        install(
            [
                *append_only("annotation_systemguess"),
                guesses.GUESS_AFTER_GRADE,
                *append_only("annotation_conflictsfixed"),
                Guard(
                    "annotation_assignment",
                    "INSERT",
                    EXCLUDED,
                    "the item is not for this reviewer",
                    part="excluded",
                ),
            ]
        ),
    ]
