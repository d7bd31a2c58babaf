"""All tables and guards of search at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

GUARDS = [
    Guard(
        "search_corpus",
        "UPDATE",
        (
            "OLD.frozen_at IS NOT NULL AND (NEW.frozen_at IS NULL OR NEW.sha256 <> OLD.sha256 OR "
            "NEW.slug <> OLD.slug)"
        ),
        "a frozen corpus never changes",
    ),
    Guard(
        "search_document",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM search_corpus WHERE id = NEW.corpus_id AND frozen_at IS NOT "
            "NULL)"
        ),
        "a frozen corpus never changes",
        part="frozen",
    ),
    Guard(
        "search_document",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM search_corpus WHERE id = OLD.corpus_id AND frozen_at IS NOT "
            "NULL)"
        ),
        "a frozen corpus never changes",
        part="frozen",
    ),
    Guard(
        "search_document",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM search_corpus WHERE id = OLD.corpus_id AND frozen_at IS NOT "
            "NULL)"
        ),
        "a frozen corpus never changes",
        part="frozen",
    ),
    Guard(
        "search_statement",
        "INSERT",
        (
            "EXISTS (SELECT 1 FROM search_corpus WHERE id = NEW.corpus_id AND frozen_at IS NOT "
            "NULL)"
        ),
        "a frozen corpus never changes",
        part="frozen",
    ),
    Guard(
        "search_statement",
        "UPDATE",
        (
            "EXISTS (SELECT 1 FROM search_corpus WHERE id = OLD.corpus_id AND frozen_at IS NOT "
            "NULL)"
        ),
        "a frozen corpus never changes",
        part="frozen",
    ),
    Guard(
        "search_statement",
        "DELETE",
        (
            "EXISTS (SELECT 1 FROM search_corpus WHERE id = OLD.corpus_id AND frozen_at IS NOT "
            "NULL)"
        ),
        "a frozen corpus never changes",
        part="frozen",
    ),
    Guard("search_statement", "UPDATE", "TRUE", "search_statement is append-only"),
    Guard(
        "search_index",
        "UPDATE",
        (
            "OLD.digest <> '' AND (NEW.digest <> OLD.digest OR NEW.corpus_sha256 <> "
            "OLD.corpus_sha256)"
        ),
        "an index that was built never changes",
    ),
    Guard(
        "search_finding",
        "UPDATE",
        (
            "NEW.instance_id <> OLD.instance_id OR NEW.statement_id <> OLD.statement_id OR "
            "NEW.field <> OLD.field OR NEW.kind <> OLD.kind OR NEW.permille <> OLD.permille OR "
            "NEW.check_of_id <> OLD.check_of_id"
        ),
        "what a check found never changes",
    ),
    *append_only("search_slogancall"),
    *append_only("search_slogan"),
]


class Migration(migrations.Migration):

    replaces = [('search', '0001_initial'), ('search', '0002_checks'), ('search', '0003_slogans')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_invitations_mailed'),
        ('benchmark', '0001_squashed_0017_files_of_tuples'),
    ]

    operations = [
        migrations.CreateModel(
            name='Corpus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('title', models.CharField(max_length=300)),
                ('visibility', models.CharField(choices=[('staff', 'Coordinators and owners'), ('members', 'Everybody who is signed in'), ('anyone', 'Anybody, without signing in')], default='members', max_length=10)),
                ('release', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corpora', to='benchmark.release')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('frozen_at', models.DateTimeField(null=True)),
                ('sha256', models.CharField(blank=True, max_length=64)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('frozen_at', None), ('sha256', '')), models.Q(('frozen_at__isnull', False), models.Q(('sha256', ''), _negated=True)), _connector='OR'), name='corpus_frozen_with_hash'), models.CheckConstraint(condition=models.Q(('release', None), ('visibility', 'staff'), _connector='OR'), name='bound_corpus_is_for_staff'), models.CheckConstraint(condition=models.Q(('visibility__in', ['staff', 'members', 'anyone'])), name='corpus_visibility')],
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='search.corpus')),
                ('name', models.CharField(max_length=200)),
                ('url', models.CharField(blank=True, max_length=1000)),
                ('version', models.CharField(blank=True, max_length=200)),
                ('licence', models.CharField(blank=True, help_text='SPDX identifier; empty if unstated.', max_length=100)),
                ('attribution', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('corpus', 'name'), name='source_once_per_corpus')],
            },
        ),
        migrations.CreateModel(
            name='ReleaseCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='corpus_checks', to='benchmark.release')),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='checks', to='search.corpus')),
                ('state', models.CharField(choices=[('waiting', 'Waiting for a worker'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('corpus_sha256', models.CharField(blank=True, max_length=64)),
                ('problem', models.TextField(blank=True)),
                ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('done_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('release', 'corpus'), name='one_check_at_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('done_at__isnull', False), ('state', 'done'), models.Q(('corpus_sha256', ''), _negated=True)), models.Q(models.Q(('state', 'done'), _negated=True), ('done_at', None)), _connector='OR'), name='check_done_at_some_time'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), models.Q(('problem', ''), _negated=True)), models.Q(models.Q(('state', 'failed'), _negated=True), ('problem', '')), _connector='OR'), name='failed_check_says_why')],
            },
        ),
        migrations.CreateModel(
            name='Index',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='indexes', to='search.corpus')),
                ('recipe', models.JSONField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting for a worker'), ('building', 'Building'), ('ready', 'Ready'), ('failed', 'Failed'), ('retired', 'Retired')], default='building', max_length=10)),
                ('corpus_sha256', models.CharField(blank=True, max_length=64)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('n_statements', models.PositiveIntegerField(default=0)),
                ('problem', models.TextField(blank=True)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('built_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('built_at__isnull', False), ('state__in', ['ready', 'retired']), models.Q(('digest', ''), _negated=True), models.Q(('corpus_sha256', ''), _negated=True)), models.Q(('built_at', None), ('digest', ''), ('state__in', ['waiting', 'building', 'failed'])), _connector='OR'), name='built_index_has_a_digest'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), models.Q(('problem', ''), _negated=True)), models.Q(models.Q(('state', 'failed'), _negated=True), ('problem', '')), _connector='OR'), name='failed_index_says_why'), models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'building'])), fields=('corpus',), name='one_build_at_a_time'), models.UniqueConstraint(condition=models.Q(('digest', ''), _negated=True), fields=('corpus', 'digest'), name='index_once_per_corpus')],
            },
        ),
        migrations.CreateModel(
            name='SearchesOfADay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='days', to='search.corpus')),
                ('day', models.DateField()),
                ('purpose', models.CharField(choices=[('page', 'Search page'), ('panel', 'Grading page'), ('rest', 'REST'), ('mcp', 'MCP')], max_length=10)),
                ('searches', models.PositiveIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('corpus', 'day', 'purpose'), name='searches_of_a_day_once')],
            },
        ),
        migrations.CreateModel(
            name='SloganRun',
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
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='slogan_runs', to='search.corpus')),
                ('reads', models.CharField(choices=[('body', 'The statement alone'), ('abstract', 'With the abstract of its document'), ('introduction', 'With the first section of its document')], max_length=20)),
                ('prompt_sha256', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reads__in', ['body', 'abstract', 'introduction'])), name='slogan_run_reads'), models.CheckConstraint(condition=models.Q(('max_tokens__isnull', False), ('max_cost__isnull', False), _connector='OR'), name='slogan_run_has_a_budget'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state__in', ['running', 'paused'])), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'cancelled'])), _connector='OR'), name='slogan_run_finished_at_some_time'), models.UniqueConstraint(condition=models.Q(('state__in', ['running', 'paused'])), fields=('corpus', 'reads'), name='one_slogan_run_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='search.corpus')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='search.source')),
                ('key', models.CharField(max_length=200)),
                ('title', models.CharField(blank=True, max_length=1000)),
                ('authors', models.JSONField(default=list)),
                ('year', models.PositiveSmallIntegerField(null=True)),
                ('categories', models.JSONField(default=list)),
                ('citations', models.PositiveIntegerField(null=True)),
                ('abstract', models.TextField(null=True)),
                ('introduction', models.TextField(help_text='The beginning of its first section.', null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('corpus', 'key'), name='document_once_per_corpus')],
            },
        ),
        migrations.CreateModel(
            name='Query',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('index', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='queries', to='search.index')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='searches', to=settings.AUTH_USER_MODEL)),
                ('purpose', models.CharField(choices=[('page', 'Search page'), ('panel', 'Grading page'), ('rest', 'REST'), ('mcp', 'MCP')], max_length=10)),
                ('text', models.TextField(blank=True)),
                ('formula', models.TextField(blank=True)),
                ('mode', models.CharField(max_length=10)),
                ('filters', models.JSONField(default=dict)),
                ('n_results', models.PositiveSmallIntegerField()),
                ('asked_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('formula', ''), ('text', ''), _negated=True), name='query_asks_something'), models.CheckConstraint(condition=models.Q(('purpose__in', ['page', 'panel', 'rest', 'mcp'])), name='query_purpose')],
            },
        ),
        migrations.CreateModel(
            name='Statement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='statements', to='search.corpus')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='statements', to='search.document')),
                ('key', models.CharField(max_length=200)),
                ('section', models.CharField(blank=True, max_length=1000)),
                ('kind', models.CharField(blank=True, max_length=50)),
                ('number', models.CharField(blank=True, max_length=50)),
                ('note', models.CharField(blank=True, max_length=1000)),
                ('label', models.CharField(blank=True, max_length=300)),
                ('body', models.TextField()),
                ('url', models.CharField(blank=True, max_length=1000)),
                ('licence', models.CharField(blank=True, help_text="Where it differs from the source's.", max_length=100)),
                ('sha256', models.CharField(max_length=64)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('corpus', 'key'), name='statement_once_per_corpus'), models.CheckConstraint(condition=models.Q(('body', ''), _negated=True), name='statement_says_something')],
            },
        ),
        migrations.CreateModel(
            name='Finding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('check_of', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='findings', to='search.releasecheck')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.instance')),
                ('field', models.CharField(max_length=200)),
                ('statement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='search.statement')),
                ('kind', models.CharField(choices=[('identical', 'Identical'), ('near', 'Nearly the same'), ('related', 'Related')], max_length=10)),
                ('permille', models.PositiveSmallIntegerField()),
                ('decision', models.CharField(blank=True, choices=[('', 'Not decided'), ('leak', 'A leak'), ('duplicate', 'The same statement, no leak'), ('harmless', 'Something else')], default='', max_length=10)),
                ('note', models.CharField(blank=True, max_length=1000)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('check_of', 'instance', 'field', 'statement'), name='finding_once_per_check'), models.CheckConstraint(condition=models.Q(('permille__lte', 1000)), name='finding_permille_to_1000'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('decided_by', None), ('decision', '')), models.Q(models.Q(('decision', ''), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='finding_decided_at_some_time')],
            },
        ),
        migrations.CreateModel(
            name='Feedback',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='search_feedback', to=settings.AUTH_USER_MODEL)),
                ('statement', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='feedback', to='search.statement')),
                ('query', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='feedback', to='search.query')),
                ('value', models.SmallIntegerField()),
                ('reason', models.CharField(blank=True, choices=[('slogan', 'The summary says something else'), ('latex', 'The LaTeX is broken'), ('kind', 'It is of another kind'), ('other', 'Something else')], max_length=10)),
                ('note', models.CharField(blank=True, max_length=1000)),
                ('said_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('value__in', [-1, 0, 1])), name='feedback_is_a_vote'), models.CheckConstraint(condition=models.Q(('reason', ''), ('value', -1), _connector='OR'), name='feedback_reason_is_against')],
            },
        ),
        migrations.CreateModel(
            name='SloganTask',
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
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='search.sloganrun')),
                ('statement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='search.statement')),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'available_at'], name='slogan_task_queue'), models.Index(fields=['run', 'state', 'id'], name='slogan_task_of_run')],
                'constraints': [models.UniqueConstraint(fields=('run', 'statement'), name='slogan_task_once_per_run'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), models.Q(('lease_owner', ''), _negated=True), ('lease_until__isnull', False)), models.Q(models.Q(('state', 'leased'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='slogan_task_leased_iff_it_has_an_owner'), models.CheckConstraint(condition=models.Q(('state', 'leased'), models.Q(('cost_reserved', 0), ('tokens_reserved', 0)), _connector='OR'), name='slogan_task_reserves_only_while_leased')],
            },
        ),
        migrations.CreateModel(
            name='SloganCall',
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
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='search.slogantask')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Slogan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('statement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='slogans', to='search.statement')),
                ('reads', models.CharField(choices=[('body', 'The statement alone'), ('abstract', 'With the abstract of its document'), ('introduction', 'With the first section of its document')], max_length=20)),
                ('model', models.CharField(max_length=200)),
                ('prompt_sha256', models.CharField(max_length=64)),
                ('task', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='slogan', to='search.slogantask')),
                ('call', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='slogan', to='search.slogancall')),
                ('text', models.TextField(blank=True)),
                ('fault', models.CharField(blank=True, max_length=20)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('fault', ''), models.Q(('text', ''), _negated=True)), models.Q(models.Q(('fault', ''), _negated=True), ('text', '')), _connector='OR'), name='slogan_has_a_text_or_a_fault'), models.UniqueConstraint(condition=models.Q(('fault', '')), fields=('statement', 'reads', 'model', 'prompt_sha256'), name='slogan_once_per_statement')],
            },
        ),
        install(GUARDS),
    ]
