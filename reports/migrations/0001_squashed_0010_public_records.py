"""All tables and guards of reports at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

GUARDS = [
    *append_only("reports_artifact"),
    *append_only("reports_historylink"),
    *append_only("reports_exclusionrule"),
    Guard(
        "reports_publicrecord",
        "UPDATE",
        (
            "OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR CAST(NEW.declared AS "
            "TEXT) <> CAST(OLD.declared AS TEXT) OR NEW.name <> OLD.name OR NEW.version <> "
            "OLD.version OR NEW.artifact_id <> OLD.artifact_id OR NEW.archive_sha256 <> "
            "OLD.archive_sha256 OR NEW.published_at <> OLD.published_at"
        ),
        "a public record never changes; it can be withdrawn once",
    ),
    Guard("reports_publicrecord", "DELETE", "TRUE", "a public record is never removed"),
]


class Migration(migrations.Migration):

    replaces = [('reports', '0001_initial'), ('reports', '0002_guards'), ('reports', '0003_label_upload'), ('reports', '0004_report_jobs'), ('reports', '0005_history'), ('reports', '0006_exclusion_rules'), ('reports', '0007_reports_of_a_condition'), ('reports', '0008_kept_scores'), ('reports', '0009_reports_per'), ('reports', '0010_public_records')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_invitations_mailed'),
        ('annotation', '0001_squashed_0031_search'),
        ('benchmark', '0001_squashed_0017_files_of_tuples'),
    ]

    operations = [
        migrations.CreateModel(
            name='Artifact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=50)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='artifacts', to='benchmark.release')),
                ('content', models.TextField()),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='ExclusionRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusion_rules', to='benchmark.release')),
                ('name', models.SlugField(max_length=100)),
                ('grounds', models.JSONField()),
                ('at_least', models.PositiveSmallIntegerField()),
                ('primary', models.BooleanField(default=False)),
                ('late', models.BooleanField(default=False)),
                ('reason', models.TextField()),
                ('declared_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('declared_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'name'), name='exclusion_rule_once_by_name'), models.UniqueConstraint(condition=models.Q(('primary', True)), fields=('release',), name='exclusion_rule_one_primary'), models.CheckConstraint(condition=models.Q(('at_least__range', (1, 25))), name='exclusion_rule_at_least_1_to_25'), models.CheckConstraint(condition=models.Q(('primary', False), ('late', False), _connector='OR'), name='exclusion_rule_late_is_not_primary'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='exclusion_rule_says_why')],
            },
        ),
        migrations.CreateModel(
            name='HistoryLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveBigIntegerField(unique=True)),
                ('kind', models.CharField(max_length=20)),
                ('version', models.PositiveSmallIntegerField(help_text='Which columns were hashed.')),
                ('row', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('chain', models.CharField(max_length=64)),
                ('sealed_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'row'), name='history_row_sealed_once'), models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='history_position_from_one')],
            },
        ),
        migrations.CreateModel(
            name='KeptScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='benchmark.release')),
                ('choice', models.CharField(help_text='Track, condition, judge and tuple, as a query string.', max_length=2000)),
                ('basis', models.CharField(max_length=64)),
                ('content', models.TextField(help_text='JSON whose keys are in the order of the document.')),
                ('kept_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'choice'), name='score_kept_once_by_choice')],
            },
        ),
        migrations.CreateModel(
            name='ReportJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='report_jobs', to='benchmark.release')),
                ('campaign', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='report_jobs', to='annotation.campaign')),
                ('track', models.CharField(blank=True, max_length=50)),
                ('condition', models.CharField(blank=True, max_length=50)),
                ('judge', models.CharField(blank=True, max_length=200)),
                ('frozen_tuple', models.CharField(blank=True, max_length=100)),
                ('score', models.BooleanField(default=True)),
                ('items', models.BooleanField(default=False)),
                ('identities', models.BooleanField(default=False)),
                ('per', models.CharField(blank=True, choices=[('submission', 'One file for each submission'), ('referee', 'One file for each referee')], db_default='', max_length=20)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=20)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('lease_owner', models.CharField(blank=True, max_length=100)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('error', models.TextField(blank=True)),
                ('file', models.CharField(blank=True, max_length=100)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('size', models.PositiveBigIntegerField(default=0)),
                ('pages', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'lease_until'], name='report_queue')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed', 'cancelled'])), name='report_state_is_known'), models.CheckConstraint(condition=models.Q(('score', True), ('items', True), _connector='OR'), name='report_holds_something'), models.CheckConstraint(condition=models.Q(('per', ''), models.Q(('items', True), ('per__in', ['submission', 'referee']), ('score', False)), _connector='OR'), name='report_per_something_has_items_alone'), models.CheckConstraint(condition=models.Q(('done__lte', models.F('total'))), name='report_done_within_total'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), models.Q(('lease_owner', ''), _negated=True), ('lease_until__isnull', False)), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='report_leased_iff_running'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), models.Q(('sha256', ''), _negated=True), ('expires_at__isnull', False)), models.Q(models.Q(('state', 'done'), _negated=True), ('expires_at__isnull', True), ('file', ''), ('sha256', '')), _connector='OR'), name='report_has_a_file_iff_done'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), models.Q(('error', ''), _negated=True)), models.Q(models.Q(('state', 'failed'), _negated=True), ('error', '')), _connector='OR'), name='report_failed_says_why')],
            },
        ),
        migrations.CreateModel(
            name='LabelUpload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='label_uploads', to=settings.AUTH_USER_MODEL)),
                ('handle', models.CharField(max_length=43, unique=True)),
                ('file_name', models.CharField(max_length=255)),
                ('form', models.CharField(choices=[('csv', 'CSV'), ('jsonl', 'JSONL')], max_length=5)),
                ('size', models.PositiveBigIntegerField()),
                ('state', models.CharField(choices=[('ready', 'Ready'), ('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('refused', 'Refused')], default='ready', max_length=10)),
                ('asked', models.JSONField(default=dict)),
                ('document', models.TextField(blank=True)),
                ('refusal', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('state', 'done'), ('document', ''), _connector='XOR'), name='upload_done_with_its_document'), models.CheckConstraint(condition=models.Q(('state', 'refused'), ('refusal', ''), _connector='XOR'), name='upload_refused_with_its_reason'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), ('started_at__isnull', False), _connector='OR'), name='upload_running_since'), models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='upload_expires_after_it_came')],
            },
        ),
        migrations.CreateModel(
            name='PublicRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100)),
                ('version', models.PositiveIntegerField()),
                ('artifact', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='records', to='reports.artifact')),
                ('declared', models.JSONField()),
                ('archive_sha256', models.CharField(max_length=64)),
                ('published_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('published_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('withdrawn_reason', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('name', 'version'), name='record_version_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='record_versions_from_one'), models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at', None), ('withdrawn_reason', '')), models.Q(('withdrawn_at__isnull', False), models.Q(('withdrawn_reason', ''), _negated=True)), _connector='OR'), name='record_withdrawn_with_a_reason')],
            },
        ),
        install(GUARDS),
    ]
