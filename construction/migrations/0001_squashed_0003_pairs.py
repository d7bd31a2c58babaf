"""All tables and guards of construction at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import django.core.serializers.json
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

GUARDS = [
    Guard(
        "construction_source",
        "UPDATE",
        "NEW.sha256 <> OLD.sha256 OR NEW.key <> OLD.key OR NEW.version <> OLD.version",
        "a source never changes",
    ),
    Guard("construction_sourcefile", "UPDATE", "TRUE", "the files of a source never change"),
    Guard(
        "construction_build",
        "UPDATE",
        (
            "NEW.name <> OLD.name OR NEW.protocol <> OLD.protocol OR NEW.recipe_sha256 <> "
            "OLD.recipe_sha256 OR NEW.sources_sha256 <> OLD.sources_sha256 OR NEW.seed <> "
            "OLD.seed OR NEW.endpoint <> OLD.endpoint OR NEW.model <> OLD.model"
        ),
        "a build follows what it began with",
    ),
    Guard(
        "construction_build",
        "UPDATE",
        (
            "OLD.release_id IS NOT NULL AND (NEW.release_id IS NULL OR NEW.release_id <> "
            "OLD.release_id)"
        ),
        "a build makes one release",
        part="release",
    ),
    Guard(
        "construction_buildpaper",
        "UPDATE",
        (
            "NEW.source_id <> OLD.source_id OR NEW.ordinal <> OLD.ordinal OR NEW.main <> OLD.main"
            " OR NEW.pairs <> OLD.pairs"
        ),
        "the papers of a build are fixed",
    ),
    Guard(
        "construction_candidate",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM construction_buildpaper p JOIN construction_build b ON b.id = "
            "p.run_id WHERE p.id = NEW.paper_id AND b.release_id IS NOT NULL)"
        ),
        "the build has made its release",
    ),
    Guard(
        "construction_candidate",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM construction_buildpaper p JOIN construction_build b ON b.id = "
            "p.run_id WHERE p.id = NEW.paper_id AND b.release_id IS NOT NULL)"
        ),
        "the build has made its release",
    ),
    Guard(
        "construction_candidate",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM construction_buildpaper p JOIN construction_build b ON b.id = "
            "p.run_id WHERE p.id = OLD.paper_id AND b.release_id IS NOT NULL)"
        ),
        "the build has made its release",
    ),
    *append_only("construction_stepcall"),
    *append_only("construction_builtinstance"),
    Guard("construction_sourcearchive", "UPDATE", "TRUE", "the bytes of a source never change"),
]


class Migration(migrations.Migration):

    replaces = [('construction', '0001_initial'), ('construction', '0002_sources'), ('construction', '0003_pairs')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_invitations_mailed'),
        ('benchmark', '0001_squashed_0017_files_of_tuples'),
    ]

    operations = [
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='The name of the paper, for example its number on arXiv.', max_length=200)),
                ('version', models.CharField(blank=True, max_length=20)),
                ('sha256', models.CharField(help_text="Of the archive's bytes.", max_length=64, unique=True)),
                ('name', models.CharField(help_text='What the archive was called.', max_length=300)),
                ('form', models.CharField(max_length=20)),
                ('title', models.CharField(blank=True, max_length=1000)),
                ('authors', models.JSONField(default=list)),
                ('year', models.PositiveSmallIntegerField(null=True)),
                ('category', models.CharField(blank=True, max_length=100)),
                ('domain', models.CharField(blank=True, max_length=100)),
                ('licence', models.CharField(blank=True, help_text='SPDX identifier; empty if unknown.', max_length=100)),
                ('state', models.CharField(choices=[('readable', 'Readable'), ('undecided', 'Somebody must choose its main file'), ('unreadable', 'Cannot be read')], max_length=20)),
                ('code', models.CharField(blank=True, max_length=40)),
                ('sentence', models.TextField(blank=True)),
                ('main', models.CharField(blank=True, max_length=1000)),
                ('candidates', models.JSONField(default=list, help_text='Files that may be the main one, with their points, the best first.')),
                ('main_chosen_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('main_chosen_at', models.DateTimeField(help_text='Empty if the program chose the main file.', null=True)),
                ('program_said', models.JSONField(help_text='Main file, code and sentence of the program, which undoing a choice restores.', null=True)),
                ('others', models.JSONField(default=list, help_text='Members that are not kept: path and size.')),
                ('notes', models.JSONField(default=list, help_text='What was noted of members: code, path, sentence.')),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('key', 'version'), name='source_once_per_version'), models.CheckConstraint(condition=models.Q(('state__in', ['readable', 'undecided', 'unreadable'])), name='source_state'), models.CheckConstraint(condition=models.Q(models.Q(('code', ''), ('state', 'readable'), models.Q(('main', ''), _negated=True)), models.Q(models.Q(('state', 'readable'), _negated=True), models.Q(('code', ''), _negated=True), ('main', '')), _connector='OR'), name='source_has_a_main_file_or_a_code'), models.CheckConstraint(condition=models.Q(models.Q(('main_chosen_at', None), ('main_chosen_by', None), ('program_said', None)), models.Q(('main_chosen_at__isnull', False), ('main_chosen_by__isnull', False), ('program_said__isnull', False)), _connector='OR'), name='source_choice_has_who_and_when')],
            },
        ),
        migrations.CreateModel(
            name='SourceUpload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('cancelled', 'Cancelled'), ('done', 'Done')], default='running', max_length=20)),
                ('priority', models.SmallIntegerField(default=0, help_text='Runs with a higher number are asked first.')),
                ('max_tokens', models.PositiveBigIntegerField(blank=True, null=True)),
                ('max_cost', models.DecimalField(blank=True, decimal_places=6, max_digits=16, null=True)),
                ('tokens_spent', models.PositiveBigIntegerField(default=0, help_text='Counted for capped runs only.')),
                ('cost_spent', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('note', models.TextField(blank=True, help_text='Why the run was paused by itself.')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('adding', models.BooleanField(default=False, help_text='Whether its papers are added, or only looked at.')),
                ('manifest', models.JSONField(default=list, help_text='The rows of the manifest.')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Build',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('cancelled', 'Cancelled'), ('done', 'Done')], default='running', max_length=20)),
                ('priority', models.SmallIntegerField(default=0, help_text='Runs with a higher number are asked first.')),
                ('max_tokens', models.PositiveBigIntegerField(blank=True, null=True)),
                ('max_cost', models.DecimalField(blank=True, decimal_places=6, max_digits=16, null=True)),
                ('tokens_spent', models.PositiveBigIntegerField(default=0, help_text='Counted for capped runs only.')),
                ('cost_spent', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('note', models.TextField(blank=True, help_text='Why the run was paused by itself.')),
                ('endpoint', models.CharField(max_length=100)),
                ('model', models.CharField(max_length=200)),
                ('prompt_price', models.DecimalField(decimal_places=6, help_text='Of a million tokens sent.', max_digits=12)),
                ('completion_price', models.DecimalField(decimal_places=6, help_text='Of a million tokens received.', max_digits=12)),
                ('name', models.SlugField(max_length=100, unique=True)),
                ('protocol', models.CharField(max_length=50)),
                ('recipe', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, help_text='Every number of the recipe.')),
                ('recipe_sha256', models.CharField(max_length=64)),
                ('sources_sha256', models.CharField(help_text="Of the sources' hashes in order, and their pairs.", max_length=64)),
                ('prompts', models.JSONField(help_text='The prompts by label, with their hashes.')),
                ('seed', models.PositiveBigIntegerField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('finished_at', models.DateTimeField(null=True)),
                ('release', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='build', to='benchmark.release')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state__in', ['running', 'paused'])), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'cancelled'])), _connector='OR'), name='build_finished_at_some_time'), models.CheckConstraint(condition=models.Q(('release', None), ('state', 'done'), _connector='OR'), name='build_released_when_done'), models.CheckConstraint(condition=models.Q(('max_tokens__isnull', False), ('max_cost__isnull', False), _connector='OR'), name='build_has_a_budget')],
            },
        ),
        migrations.CreateModel(
            name='SourceArchive',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='archive', to='construction.source')),
                ('data', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='SourceFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='files', to='construction.source')),
                ('path', models.CharField(max_length=1000)),
                ('text', models.TextField()),
                ('sha256', models.CharField(help_text='Of the text in UTF-8.', max_length=64)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('source', 'path'), name='source_file_once')],
            },
        ),
        migrations.CreateModel(
            name='Reading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reading', to='construction.source')),
                ('version', models.CharField(help_text='Of the program that made the outline.', max_length=40)),
                ('main', models.CharField(help_text='The main file that was read.', max_length=1000)),
                ('statements', models.PositiveIntegerField()),
                ('proofs', models.PositiveIntegerField()),
                ('paired', models.PositiveIntegerField(help_text='Proofs whose statement was found.')),
                ('citations', models.PositiveIntegerField()),
                ('formulas', models.PositiveIntegerField()),
                ('outline', models.JSONField(help_text='What was found, with places in files.')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('paired__lte', models.F('proofs'))), name='reading_pairs_proofs_it_has')],
            },
        ),
        migrations.CreateModel(
            name='Pairing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairings', to='construction.source')),
                ('proof_file', models.CharField(max_length=1000)),
                ('proof_start', models.PositiveIntegerField(help_text='Where the proof begins in its file.')),
                ('statement_file', models.CharField(blank=True, help_text='Empty: it proves no statement.', max_length=1000)),
                ('statement_start', models.PositiveIntegerField(default=0)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('source', 'proof_file', 'proof_start'), name='proof_paired_by_hand_once'), models.CheckConstraint(condition=models.Q(models.Q(('statement_file', ''), _negated=True), ('statement_start', 0), _connector='OR'), name='pairing_with_nothing_has_no_place')],
            },
        ),
        migrations.CreateModel(
            name='Publication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='publication', to='construction.source')),
                ('title', models.CharField(max_length=1000)),
                ('authors', models.JSONField(default=list)),
                ('year', models.PositiveSmallIntegerField(null=True)),
                ('venue', models.CharField(blank=True, max_length=500)),
                ('doi', models.CharField(blank=True, max_length=300)),
                ('found', models.CharField(choices=[('same', 'The same work'), ('different', 'Another work'), ('ask', 'Somebody must decide')], max_length=10)),
                ('reason', models.CharField(max_length=300)),
                ('evidence', models.JSONField(default=list, help_text='What was compared: name and both values.')),
                ('decision', models.CharField(blank=True, choices=[('same', 'The same work'), ('different', 'Another work'), ('later', 'Decide later')], max_length=10)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('found__in', ['same', 'different', 'ask'])), name='publication_found'), models.CheckConstraint(condition=models.Q(('decision', ''), models.Q(('decision__in', ['same', 'different', 'later']), ('found', 'ask')), _connector='OR'), name='publication_decided_where_asked'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('decided_by', None), ('decision', '')), models.Q(models.Q(('decision', ''), _negated=True), ('decided_at__isnull', False), ('decided_by__isnull', False)), _connector='OR'), name='publication_decision_has_who_and_when')],
            },
        ),
        migrations.CreateModel(
            name='UploadedArchive',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('done', 'Done'), ('failed', 'Failed'), ('held', 'Held back until earlier votes are in'), ('not_needed', 'Not needed: the majority is settled')], default='waiting', max_length=20)),
                ('available_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_owner', models.CharField(blank=True, max_length=100)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('last_error', models.TextField(blank=True)),
                ('tokens_reserved', models.PositiveBigIntegerField(default=0)),
                ('cost_reserved', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='archives', to='construction.sourceupload')),
                ('name', models.CharField(max_length=300)),
                ('handle', models.CharField(blank=True, help_text='Of the stored file; empty when it is gone.', max_length=64)),
                ('size', models.PositiveBigIntegerField()),
                ('inner', models.BooleanField(default=False, help_text='Whether it came in an archive of archives.')),
                ('key', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=20)),
                ('outcome', models.CharField(blank=True, choices=[('new', 'New'), ('added', 'Added'), ('there', 'Already there'), ('refused', 'Refused'), ('unpacked', 'An archive of archives')], max_length=10)),
                ('source', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='construction.source')),
                ('code', models.CharField(blank=True, max_length=40)),
                ('sentence', models.TextField(blank=True)),
                ('found', models.JSONField(default=dict, help_text='Form, main file and counts, for the table of a dry run.')),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'available_at'], name='uploaded_archive_queue'), models.Index(fields=['run', 'state', 'id'], name='uploaded_archive_of_run')],
                'constraints': [models.UniqueConstraint(fields=('run', 'name'), name='uploaded_archive_once'), models.CheckConstraint(condition=models.Q(('outcome', ''), ('state', 'done'), _connector='OR'), name='uploaded_archive_done_if_it_has_an_outcome'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), models.Q(('lease_owner', ''), _negated=True), ('lease_until__isnull', False)), models.Q(models.Q(('state', 'leased'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='uploaded_archive_leased_iff_it_has_an_owner'), models.CheckConstraint(condition=models.Q(('state', 'leased'), models.Q(('cost_reserved', 0), ('tokens_reserved', 0)), _connector='OR'), name='uploaded_archive_reserves_only_while_leased')],
            },
        ),
        migrations.CreateModel(
            name='BuildPaper',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('done', 'Done'), ('failed', 'Failed'), ('held', 'Held back until earlier votes are in'), ('not_needed', 'Not needed: the majority is settled')], default='waiting', max_length=20)),
                ('available_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_owner', models.CharField(blank=True, max_length=100)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('last_error', models.TextField(blank=True)),
                ('tokens_reserved', models.PositiveBigIntegerField(default=0)),
                ('cost_reserved', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='papers', to='construction.build')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='construction.source')),
                ('main', models.CharField(help_text='Its main file when the build began.', max_length=1000)),
                ('pairs', models.JSONField(default=list, help_text='Proofs paired by hand when the build began, as construction.reading.pairs has them.')),
                ('ordinal', models.PositiveIntegerField(help_text='Its place among the papers, from 0.')),
                ('code', models.CharField(blank=True, help_text='Why it could not be read.', max_length=40)),
                ('sentence', models.TextField(blank=True)),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'available_at'], name='build_paper_queue'), models.Index(fields=['run', 'state', 'id'], name='build_paper_of_run')],
                'constraints': [models.UniqueConstraint(fields=('run', 'source'), name='build_paper_once'), models.UniqueConstraint(fields=('run', 'ordinal'), name='build_paper_has_its_place'), models.CheckConstraint(condition=models.Q(('code', ''), ('state', 'done'), _connector='OR'), name='build_paper_is_over_when_refused'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), models.Q(('lease_owner', ''), _negated=True), ('lease_until__isnull', False)), models.Q(models.Q(('state', 'leased'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='build_paper_leased_iff_it_has_an_owner'), models.CheckConstraint(condition=models.Q(('state', 'leased'), models.Q(('cost_reserved', 0), ('tokens_reserved', 0)), _connector='OR'), name='build_paper_reserves_only_while_leased')],
            },
        ),
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('paper', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidates', to='construction.buildpaper')),
                ('key', models.CharField(help_text='Its name within the paper.', max_length=200)),
                ('place', models.PositiveIntegerField(help_text='Its place within the paper, from 0.')),
                ('stage', models.CharField(max_length=40)),
                ('state', models.CharField(choices=[('asked', 'Waits for a reply'), ('dropped', 'Dropped'), ('made', 'Made'), ('passed', 'Led to other things')], max_length=10)),
                ('code', models.CharField(blank=True, max_length=40)),
                ('sentence', models.TextField(blank=True)),
                ('places', models.JSONField(default=list, help_text='Ranges of files: path, start, end.')),
                ('lines', models.JSONField(default=list, help_text='Lines of the release, each with its provenance.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('paper', 'key'), name='candidate_once'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'dropped'), models.Q(('code', ''), _negated=True)), models.Q(models.Q(('state', 'dropped'), _negated=True), ('code', '')), _connector='OR'), name='candidate_dropped_iff_code'), models.CheckConstraint(condition=models.Q(('state', 'made'), ('lines', []), _connector='OR'), name='candidate_made_if_lines')],
            },
        ),
        migrations.CreateModel(
            name='Step',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('done', 'Done'), ('failed', 'Failed'), ('held', 'Held back until earlier votes are in'), ('not_needed', 'Not needed: the majority is settled')], default='waiting', max_length=20)),
                ('available_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_owner', models.CharField(blank=True, max_length=100)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('last_error', models.TextField(blank=True)),
                ('tokens_reserved', models.PositiveBigIntegerField(default=0)),
                ('cost_reserved', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='steps', to='construction.build')),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='steps', to='construction.candidate')),
                ('stage', models.CharField(max_length=40)),
                ('prompt', models.CharField(max_length=100)),
                ('prompt_sha256', models.CharField(max_length=64)),
                ('input_sha256', models.CharField(db_index=True, help_text='Of prompt, model, decoding and fields: what the reply depends on.', max_length=64)),
                ('fields', models.JSONField(default=dict)),
                ('text', models.TextField(blank=True, help_text='The reply.')),
                ('reused', models.ForeignKey(help_text='The step whose reply this is.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='construction.step')),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'available_at'], name='step_queue'), models.Index(fields=['run', 'state', 'id'], name='step_of_run')],
                'constraints': [models.UniqueConstraint(fields=('candidate', 'stage'), name='step_once_per_stage'), models.CheckConstraint(condition=models.Q(('state', 'done'), models.Q(('reused', None), ('text', '')), _connector='OR'), name='step_done_if_answered'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), models.Q(('lease_owner', ''), _negated=True), ('lease_until__isnull', False)), models.Q(models.Q(('state', 'leased'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='step_leased_iff_it_has_an_owner'), models.CheckConstraint(condition=models.Q(('state', 'leased'), models.Q(('cost_reserved', 0), ('tokens_reserved', 0)), _connector='OR'), name='step_reserves_only_while_leased')],
            },
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='construction.candidate')),
                ('decision', models.CharField(choices=[('drop', 'Drop it'), ('repair', 'Repair it')], max_length=10)),
                ('reason', models.CharField(max_length=1000)),
                ('before', models.JSONField(default=dict, help_text='The strings that a repair replaces, by line and field.')),
                ('after', models.JSONField(default=dict)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('withdrawn_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('candidate',), name='one_live_review'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='review_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('after', {}), ('decision', 'drop')), models.Q(('decision', 'repair'), models.Q(('after', {}), _negated=True)), _connector='OR'), name='review_repairs_something')],
            },
        ),
        migrations.CreateModel(
            name='BuiltInstance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('instance', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='built', to='benchmark.instance')),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='instances', to='construction.candidate')),
                ('provenance', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='StepCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(editable=False, help_text='So that no call is stored twice.', unique=True)),
                ('request', models.JSONField()),
                ('reply', models.JSONField(null=True)),
                ('error', models.TextField(blank=True)),
                ('prompt_tokens', models.PositiveIntegerField(null=True)),
                ('completion_tokens', models.PositiveIntegerField(null=True)),
                ('latency_seconds', models.FloatField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='construction.step')),
            ],
            options={
                'abstract': False,
            },
        ),
        install(GUARDS),
    ]
