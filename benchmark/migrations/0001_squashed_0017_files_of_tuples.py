"""All tables and guards of benchmark at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

GUARDS = [
    Guard("benchmark_release", "UPDATE", "OLD.frozen_at IS NOT NULL", "this release is frozen"),
    Guard("benchmark_release", "DELETE", "OLD.frozen_at IS NOT NULL", "this release is frozen"),
    Guard(
        "benchmark_paper",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = NEW.release_id AND "
            "p.frozen_at IS NOT NULL)"
        ),
        "its release is frozen",
    ),
    Guard(
        "benchmark_paper",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = OLD.release_id AND "
            "p.frozen_at IS NOT NULL) OR EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = "
            "NEW.release_id AND p.frozen_at IS NOT NULL)"
        ),
        "its release is frozen",
    ),
    Guard(
        "benchmark_paper",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = OLD.release_id AND "
            "p.frozen_at IS NOT NULL)"
        ),
        "its release is frozen",
    ),
    Guard(
        "benchmark_instance",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = NEW.release_id AND "
            "p.frozen_at IS NOT NULL)"
        ),
        "its release is frozen",
    ),
    Guard(
        "benchmark_instance",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = OLD.release_id AND "
            "p.frozen_at IS NOT NULL) OR EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = "
            "NEW.release_id AND p.frozen_at IS NOT NULL)"
        ),
        "its release is frozen",
    ),
    Guard(
        "benchmark_instance",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM benchmark_release p WHERE p.id = OLD.release_id AND "
            "p.frozen_at IS NOT NULL)"
        ),
        "its release is frozen",
    ),
    Guard("benchmark_run", "UPDATE", "OLD.frozen_at IS NOT NULL", "this run is frozen"),
    Guard("benchmark_run", "DELETE", "OLD.frozen_at IS NOT NULL", "this run is frozen"),
    Guard(
        "benchmark_output",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = NEW.run_id AND p.frozen_at IS NOT"
            " NULL)"
        ),
        "its run is frozen",
    ),
    Guard(
        "benchmark_output",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = OLD.run_id AND p.frozen_at IS NOT"
            " NULL) OR EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = NEW.run_id AND "
            "p.frozen_at IS NOT NULL)"
        ),
        "its run is frozen",
    ),
    Guard(
        "benchmark_output",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = OLD.run_id AND p.frozen_at IS NOT"
            " NULL)"
        ),
        "its run is frozen",
    ),
    *append_only("benchmark_frozentuple"),
    *append_only("benchmark_tupledrun"),
    Guard(
        "benchmark_tupledrun",
        "INSERT",
        (
            "(SELECT r.release_id FROM benchmark_run r WHERE r.id = NEW.run_id) <> (SELECT "
            "t.release_id FROM benchmark_frozentuple t WHERE t.id = NEW.tuple_id)"
        ),
        "a run belongs to a tuple of its release",
    ),
    Guard(
        "benchmark_unreleasedoutput",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = NEW.run_id AND p.frozen_at IS NOT"
            " NULL)"
        ),
        "its run is frozen",
    ),
    Guard(
        "benchmark_unreleasedoutput",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = OLD.run_id AND p.frozen_at IS NOT"
            " NULL) OR EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = NEW.run_id AND "
            "p.frozen_at IS NOT NULL)"
        ),
        "its run is frozen",
    ),
    Guard(
        "benchmark_unreleasedoutput",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM benchmark_run p WHERE p.id = OLD.run_id AND p.frozen_at IS NOT"
            " NULL)"
        ),
        "its run is frozen",
    ),
    Guard(
        "benchmark_unreleasedoutput",
        "INSERT",
        (
            "(SELECT r.release_id FROM benchmark_run r WHERE r.id = NEW.run_id) <> (SELECT "
            "i.release_id FROM benchmark_instance i WHERE i.id = NEW.instance_id)"
        ),
        "an unreleased output is of an instance of its run",
        part="elsewhere",
    ),
    Guard(
        "benchmark_unreleasedoutput",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_output o WHERE o.run_id = NEW.run_id AND "
            "o.instance_id = NEW.instance_id)"
        ),
        "an output is released or it is not",
        part="released",
    ),
    Guard(
        "benchmark_unreleasedoutput",
        "UPDATE",
        (
            "(SELECT r.release_id FROM benchmark_run r WHERE r.id = NEW.run_id) <> (SELECT "
            "i.release_id FROM benchmark_instance i WHERE i.id = NEW.instance_id)"
        ),
        "an unreleased output is of an instance of its run",
        part="elsewhere",
    ),
    Guard(
        "benchmark_unreleasedoutput",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM benchmark_output o WHERE o.run_id = NEW.run_id AND "
            "o.instance_id = NEW.instance_id)"
        ),
        "an output is released or it is not",
        part="released",
    ),
    Guard(
        "benchmark_output",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_unreleasedoutput o WHERE o.run_id = NEW.run_id AND "
            "o.instance_id = NEW.instance_id)"
        ),
        "an output is released or it is not",
        part="released",
    ),
    Guard(
        "benchmark_output",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM benchmark_unreleasedoutput o WHERE o.run_id = NEW.run_id AND "
            "o.instance_id = NEW.instance_id)"
        ),
        "an output is released or it is not",
        part="released",
    ),
    Guard("benchmark_protocolflag", "UPDATE", "TRUE", "benchmark_protocolflag never changes"),
    Guard(
        "benchmark_settlement",
        "UPDATE",
        (
            "OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR NEW.pair <> OLD.pair OR "
            "NEW.found <> OLD.found OR NEW.wanted <> OLD.wanted OR NEW.verdict <> OLD.verdict OR "
            "NEW.note <> OLD.note OR NEW.release_id <> OLD.release_id OR NEW.decided_by_id <> "
            "OLD.decided_by_id OR NEW.decided_at <> OLD.decided_at"
        ),
        "a settlement is withdrawn once, not changed",
    ),
    Guard("benchmark_settlement", "DELETE", "TRUE", "a settlement stays in the history"),
    Guard(
        "benchmark_attachment",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_output o JOIN benchmark_run r ON r.id = o.run_id "
            "WHERE o.id = NEW.output_id AND r.frozen_at IS NOT NULL) OR EXISTS (SELECT 1 FROM "
            "benchmark_instance n JOIN benchmark_release e ON e.id = n.release_id WHERE n.id = "
            "NEW.instance_id AND e.frozen_at IS NOT NULL)"
        ),
        "its run or release is frozen",
    ),
    Guard(
        "benchmark_attachment",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM benchmark_output o JOIN benchmark_run r ON r.id = o.run_id "
            "WHERE o.id = OLD.output_id AND r.frozen_at IS NOT NULL) OR EXISTS (SELECT 1 FROM "
            "benchmark_instance n JOIN benchmark_release e ON e.id = n.release_id WHERE n.id = "
            "OLD.instance_id AND e.frozen_at IS NOT NULL)"
        ),
        "its run or release is frozen",
    ),
    Guard("benchmark_attachment", "UPDATE", "TRUE", "an attachment is removed, not changed"),
    Guard("benchmark_originalfile", "UPDATE", "TRUE", "an uploaded file is removed, not changed"),
    Guard(
        "benchmark_originalfile",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM benchmark_attachment a WHERE a.id = OLD.attachment_id AND "
            "(EXISTS (SELECT 1 FROM benchmark_output o JOIN benchmark_run r ON r.id = o.run_id "
            "WHERE o.id = a.output_id AND r.frozen_at IS NOT NULL) OR EXISTS (SELECT 1 FROM "
            "benchmark_instance n JOIN benchmark_release e ON e.id = n.release_id WHERE n.id = "
            "a.instance_id AND e.frozen_at IS NOT NULL)))"
        ),
        "its run or release is frozen",
    ),
    Guard("benchmark_cleancopy", "UPDATE", "TRUE", "a clean copy never changes"),
    Guard(
        "benchmark_abstention",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_output o JOIN benchmark_run r ON r.id = o.run_id "
            "WHERE o.id = NEW.output_id AND r.frozen_at IS NOT NULL)"
        ),
        "its run is frozen",
    ),
    Guard(
        "benchmark_abstention",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM benchmark_output o WHERE o.id = NEW.output_id AND o.state <> "
            "'abstained')"
        ),
        "its output did not abstain",
        part="state",
    ),
    Guard(
        "benchmark_abstention",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM benchmark_output o JOIN benchmark_run r ON r.id = o.run_id "
            "WHERE o.id = OLD.output_id AND r.frozen_at IS NOT NULL)"
        ),
        "its run is frozen",
    ),
    Guard("benchmark_abstention", "UPDATE", "TRUE", "a mark is withdrawn, not changed"),
    *append_only("benchmark_tuplefile"),
    *append_only("benchmark_tuplefilepart"),
    Guard(
        "benchmark_tuplefilepart",
        "INSERT",
        (
            "(SELECT COALESCE(SUM(LENGTH(p.data)), 0) FROM benchmark_tuplefilepart p WHERE "
            "p.file_id = NEW.file_id) + LENGTH(NEW.data) > (SELECT f.size FROM "
            "benchmark_tuplefile f WHERE f.id = NEW.file_id)"
        ),
        "a file has no more bytes than its size",
    ),
    Guard(
        "benchmark_frozentuple",
        "INSERT",
        (
            "(NEW.retrieval_file_id IS NOT NULL AND (SELECT COALESCE(SUM(LENGTH(p.data)), 0) FROM"
            " benchmark_tuplefilepart p WHERE p.file_id = NEW.retrieval_file_id) <> (SELECT "
            "f.size FROM benchmark_tuplefile f WHERE f.id = NEW.retrieval_file_id)) OR "
            "(NEW.materialisation_file_id IS NOT NULL AND (SELECT COALESCE(SUM(LENGTH(p.data)), "
            "0) FROM benchmark_tuplefilepart p WHERE p.file_id = NEW.materialisation_file_id) <> "
            "(SELECT f.size FROM benchmark_tuplefile f WHERE f.id = NEW.materialisation_file_id))"
            " OR (NEW.scoring_file_id IS NOT NULL AND (SELECT COALESCE(SUM(LENGTH(p.data)), 0) "
            "FROM benchmark_tuplefilepart p WHERE p.file_id = NEW.scoring_file_id) <> (SELECT "
            "f.size FROM benchmark_tuplefile f WHERE f.id = NEW.scoring_file_id))"
        ),
        "a file of a tuple is stored whole",
    ),
]


class Migration(migrations.Migration):

    replaces = [('benchmark', '0001_initial'), ('benchmark', '0002_guards'), ('benchmark', '0003_identity_scan'), ('benchmark', '0004_release_description'), ('benchmark', '0005_import_uploads'), ('benchmark', '0006_frozen_tuples'), ('benchmark', '0007_not_released'), ('benchmark', '0008_protocol_flags'), ('benchmark', '0009_rendering_off_the_request'), ('benchmark', '0010_identity_words'), ('benchmark', '0011_settlements'), ('benchmark', '0012_files_of_people'), ('benchmark', '0013_files'), ('benchmark', '0014_pictures_in_texts'), ('benchmark', '0015_abstained_later'), ('benchmark', '0016_labels_of_people'), ('benchmark', '0017_files_of_tuples')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_invitations_mailed'),
    ]

    operations = [
        migrations.CreateModel(
            name='Benchmark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('protocol', models.CharField(max_length=50)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('protocol', ''), _negated=True), name='benchmark_names_its_protocol')],
            },
        ),
        migrations.CreateModel(
            name='System',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('family', models.CharField(blank=True, max_length=100)),
            ],
        ),
        migrations.CreateModel(
            name='CleanCopy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('kind', models.CharField(choices=[('pdf', 'PDF'), ('image', 'Image')], max_length=10)),
                ('data', models.BinaryField()),
                ('pages', models.JSONField()),
                ('words', models.JSONField(default=list)),
                ('kept', models.JSONField(default=list)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['pdf', 'image'])), name='clean_copy_kind_is_known')],
            },
        ),
        migrations.CreateModel(
            name='ImportUpload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='imports', to=settings.AUTH_USER_MODEL)),
                ('handle', models.CharField(max_length=43, unique=True)),
                ('kind', models.CharField(choices=[('release', 'Release'), ('outputs', 'Outputs'), ('files', 'Folder or table'), ('labels', 'Labels or reports')], max_length=10)),
                ('file_name', models.CharField(max_length=255)),
                ('size', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('terms', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('recognised', 'Waiting for its mapping'), ('checked', 'Checked'), ('applied', 'Imported'), ('refused', 'Refused')], default='waiting', max_length=10)),
                ('applying', models.BooleanField(default=False)),
                ('recognised', models.JSONField(blank=True, default=dict)),
                ('report', models.JSONField(default=dict)),
                ('faults', models.JSONField(default=list)),
                ('refusal', models.TextField(blank=True)),
                ('basis', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('started_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['release', 'outputs', 'files', 'labels'])), name='import_kind_is_known'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'recognised', 'checked', 'applied', 'refused'])), name='import_state_is_known'), models.CheckConstraint(condition=models.Q(('state', 'refused'), ('refusal', ''), _connector='XOR'), name='import_refused_with_its_reason'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'running'), _negated=True), ('started_at__isnull', False), _connector='OR'), name='import_running_since'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'checked'), _negated=True), ('applying', False), _connector='OR'), name='import_checked_before_it'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'applied'), _negated=True), ('applying', True), _connector='OR'), name='import_applied_after_it'), models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='import_expires_after_it_came')],
            },
        ),
        migrations.CreateModel(
            name='RenderedDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('text', models.TextField(blank=True, db_default='')),
                ('text_format', models.CharField(choices=[('latex', 'LaTeX'), ('markdown', 'Markdown'), ('plain', 'Plain text')], db_default='plain', max_length=10)),
                ('version', models.CharField(blank=True, db_default='', max_length=20)),
                ('blocks', models.JSONField(default=list)),
                ('report', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('rendered_at', models.DateTimeField(null=True)),
                ('leased_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(db_default=0, default=0)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('version', '')), fields=['id'], name='waiting_to_be_rendered')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('rendered_at', None), ('version', '')), models.Q(models.Q(('version', ''), _negated=True), ('rendered_at__isnull', False)), _connector='OR'), name='rendered_by_a_version')],
            },
        ),
        migrations.CreateModel(
            name='TupleFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('size', models.PositiveBigIntegerField()),
                ('name', models.CharField(max_length=255)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(django.db.models.functions.text.Length('sha256'), 64), django.db.models.lookups.Exact(models.Func(models.F('sha256'), models.Value('0123456789abcdef'), function='TRIM'), '')), name='tuple_file_hash_is_hexadecimal'), models.CheckConstraint(condition=models.Q(('size__gte', 1)), name='tuple_file_is_not_empty'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='tuple_file_has_a_name')],
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('benchmark', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='benchmark.benchmark')),
                ('name', models.SlugField(max_length=100, unique=True)),
                ('sha256', models.CharField(max_length=64)),
                ('source', models.CharField(blank=True, max_length=500)),
                ('is_sample', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('frozen_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='TupleFilePart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='parts', to='benchmark.tuplefile')),
                ('number', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('file', 'number'), name='tuple_file_part_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='tuple_file_parts_count_from_one')],
            },
        ),
        migrations.CreateModel(
            name='ReleaseDescription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='description', to='benchmark.release')),
                ('licence', models.CharField(max_length=200)),
                ('creators', models.CharField(max_length=1000)),
                ('citation', models.TextField(blank=True)),
                ('homepage', models.URLField(blank=True, max_length=500)),
                ('version', models.CharField(default='1.0.0', max_length=50)),
                ('published_on', models.DateField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('licence', ''), _negated=True), name='described_release_has_a_licence'), models.CheckConstraint(condition=models.Q(('creators', ''), _negated=True), name='described_release_has_creators'), models.CheckConstraint(condition=models.Q(('version', ''), _negated=True), name='described_release_has_a_version')],
            },
        ),
        migrations.CreateModel(
            name='Paper',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='papers', to='benchmark.release')),
                ('key', models.CharField(max_length=200)),
                ('title', models.TextField(blank=True)),
                ('year', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('identifiers', models.JSONField(default=dict)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'key'), name='paper_once_per_release')],
            },
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='benchmark.system')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='benchmark.release')),
                ('track', models.CharField(default='raw', max_length=50)),
                ('condition', models.CharField(blank=True, max_length=50)),
                ('budget', models.JSONField(default=dict)),
                ('config', models.JSONField(default=dict)),
                ('sha256', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('frozen_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('system', 'release', 'track', 'condition'), name='run_once_per_track_and_condition')],
            },
        ),
        migrations.CreateModel(
            name='IdentityWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identity_words', to='benchmark.release')),
                ('word', models.CharField(max_length=100)),
                ('added_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('release'), django.db.models.functions.text.Lower('word'), condition=models.Q(('removed_at', None)), name='identity_word_once_per_release'), models.CheckConstraint(condition=models.Q(('word', ''), _negated=True), name='identity_word_is_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='Settlement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='settlements', to='benchmark.release')),
                ('pair', models.CharField(max_length=64)),
                ('found', models.JSONField()),
                ('wanted', models.JSONField()),
                ('verdict', models.CharField(choices=[('same', 'Same work'), ('different', 'Different works')], max_length=20)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('withdrawn_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'pair'], name='settlement_by_pair')],
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['same', 'different'])), name='settlement_verdict_is_known'), models.CheckConstraint(condition=models.Q(('pair', ''), _negated=True), name='settlement_names_its_pair'), models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at', None), ('withdrawn_by', None)), models.Q(('withdrawn_at__isnull', False), ('withdrawn_by__isnull', False)), _connector='OR'), name='settlement_withdrawn_by_somebody')],
            },
        ),
        migrations.CreateModel(
            name='FrozenTuple',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tuples', to='benchmark.release')),
                ('name', models.SlugField(max_length=100)),
                ('split', models.CharField(max_length=100)),
                ('retrieval', models.CharField(max_length=500, verbose_name='retrieval artifact')),
                ('materialisation', models.CharField(max_length=500, verbose_name='materialisation log')),
                ('scoring', models.CharField(max_length=500, verbose_name='scoring artifact')),
                ('retrieval_file', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.tuplefile')),
                ('materialisation_file', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.tuplefile')),
                ('scoring_file', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.tuplefile')),
                ('evaluated_on', models.DateField(verbose_name='date of the evaluation')),
                ('declared_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('declared_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'name'), name='tuple_once_per_release'), models.CheckConstraint(condition=models.Q(('name', ''), ('split', ''), ('retrieval', ''), ('materialisation', ''), ('scoring', ''), _connector='OR', _negated=True), name='tuple_says_everything')],
            },
        ),
        migrations.CreateModel(
            name='Instance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='instances', to='benchmark.release')),
                ('key', models.CharField(max_length=200)),
                ('paper', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='instances', to='benchmark.paper')),
                ('domain', models.CharField(max_length=100)),
                ('split', models.CharField(blank=True, max_length=50)),
                ('payload', models.JSONField()),
                ('sha256', models.CharField(max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['release', 'domain'], name='instance_by_domain')],
                'constraints': [models.UniqueConstraint(fields=('release', 'key'), name='instance_once_per_release'), models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='instance_has_a_key')],
            },
        ),
        migrations.CreateModel(
            name='TupledRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='tupled', to='benchmark.run')),
                ('tuple', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='benchmark.frozentuple')),
            ],
        ),
        migrations.CreateModel(
            name='Output',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='benchmark.run')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='benchmark.instance')),
                ('attempt', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('answered', 'Answered'), ('abstained', 'Abstained'), ('failed', 'Failed')], default='answered', max_length=20)),
                ('text', models.TextField(blank=True)),
                ('text_format', models.CharField(choices=[('latex', 'LaTeX'), ('markdown', 'Markdown'), ('plain', 'Plain text')], default='latex', max_length=20)),
                ('payload', models.JSONField(default=dict)),
                ('sha256', models.CharField(max_length=64)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'instance', 'attempt'), name='output_once_per_attempt'), models.CheckConstraint(condition=models.Q(('attempt__gte', 1)), name='output_attempts_count_from_one'), models.CheckConstraint(condition=models.Q(('state__in', ['answered', 'abstained', 'failed'])), name='output_state_is_known'), models.CheckConstraint(condition=models.Q(('text_format__in', ['latex', 'markdown', 'plain'])), name='output_text_format_is_known')],
            },
        ),
        migrations.CreateModel(
            name='UnreleasedOutput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='unreleased', to='benchmark.run')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='unreleased', to='benchmark.instance')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'instance'), name='unreleased_once_per_instance')],
            },
        ),
        migrations.CreateModel(
            name='Abstention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('output', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='abstention', to='benchmark.output')),
                ('reason', models.CharField(max_length=500)),
                ('marked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('marked_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='abstention_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='Attachment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('output', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attachments', to='benchmark.output')),
                ('instance', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attachments', to='benchmark.instance')),
                ('number', models.PositiveSmallIntegerField()),
                ('copy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attachments', to='benchmark.cleancopy')),
                ('shown_as', models.JSONField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('output', None), ('instance', None), _connector='XOR'), name='attachment_has_one_subject'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='attachments_count_from_one'), models.UniqueConstraint(fields=('output', 'number'), name='attachment_once_per_output'), models.UniqueConstraint(fields=('instance', 'number'), name='attachment_once_per_instance')],
            },
        ),
        migrations.CreateModel(
            name='ProtocolFlag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('output', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='protocol_flags', to='benchmark.output')),
                ('kind', models.CharField(max_length=50)),
                ('certain', models.BooleanField()),
                ('reason', models.TextField()),
                ('found_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('output', 'kind'), name='protocol_flag_once_per_kind'), models.CheckConstraint(condition=models.Q(('kind', ''), ('reason', ''), _connector='OR', _negated=True), name='protocol_flag_says_what_and_why')],
            },
        ),
        migrations.CreateModel(
            name='IdentityScan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('output', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='identity_scan', to='benchmark.output')),
                ('version', models.PositiveSmallIntegerField()),
                ('findings', models.JSONField(default=list)),
                ('certain', models.PositiveIntegerField()),
                ('scanned_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='IdentityDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('output', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identity_decisions', to='benchmark.output')),
                ('verdict', models.CharField(choices=[('redacted', 'Redacted'), ('harmless', 'Harmless'), ('excluded', 'Left out of expert work')], max_length=20)),
                ('passages', models.JSONField(default=list, help_text='What was redacted: field, start and end of each.')),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['redacted', 'harmless', 'excluded'])), name='identity_verdict_is_known'), models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('output',), name='identity_decided_once'), models.CheckConstraint(condition=models.Q(('verdict', 'redacted'), models.Q(('reason', ''), _negated=True), _connector='OR'), name='identity_decision_has_its_reason')],
            },
        ),
        migrations.CreateModel(
            name='OriginalFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attachment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='original', to='benchmark.attachment')),
                ('name', models.CharField(max_length=500)),
                ('sha256', models.CharField(max_length=64)),
                ('data', models.BinaryField()),
                ('dropped', models.JSONField(default=list)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='original_file_has_a_name')],
            },
        ),
        migrations.CreateModel(
            name='RedactedOutput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('output', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='redacted', to='benchmark.output')),
                ('decision', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='redacted', to='benchmark.identitydecision')),
                ('text', models.TextField(blank=True)),
                ('payload', models.JSONField(default=dict)),
            ],
        ),
        install(GUARDS),
    ]
