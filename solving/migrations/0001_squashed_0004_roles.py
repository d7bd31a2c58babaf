"""All tables and guards of solving at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import django.core.serializers.json
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

GUARDS = [
    *append_only("solving_memoryentry"),
    *append_only("solving_solver"),
    *append_only("solving_material"),
    Guard(
        "solving_attempt",
        "UPDATE",
        (
            "OLD.state = 'ended' AND (NEW.state <> OLD.state OR NEW.outcome <> OLD.outcome OR "
            "NEW.ended_because <> OLD.ended_because OR NEW.result <> OLD.result)"
        ),
        "an attempt that has ended does not change",
    ),
    Guard("solving_attempt", "DELETE", "TRUE", "attempts are kept"),
]


class Migration(migrations.Migration):

    replaces = [('solving', '0001_initial'), ('solving', '0002_guards'), ('solving', '0003_usage_details'), ('solving', '0004_roles')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_invitations_mailed'),
        ('benchmark', '0001_squashed_0017_files_of_tuples'),
    ]

    operations = [
        migrations.CreateModel(
            name='Material',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('bank', 'Knowledge bank'), ('blocked', 'Block list')], max_length=10)),
                ('name', models.SlugField(max_length=100)),
                ('sha256', models.CharField(help_text='Of the content as canonical JSON.', max_length=64)),
                ('content', models.JSONField()),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'name'), name='material_named_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['bank', 'blocked'])), name='material_kind_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Solver',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=80)),
                ('version', models.PositiveSmallIntegerField()),
                ('recipe', models.CharField(max_length=50)),
                ('recipe_sha256', models.CharField(help_text="Of the recipe's code and prompts.", max_length=64)),
                ('settings', models.JSONField(help_text='Every setting of the recipe.')),
                ('endpoint', models.CharField(max_length=100)),
                ('model', models.CharField(max_length=200)),
                ('decoding', models.JSONField(default=dict)),
                ('family', models.CharField(blank=True, help_text='Of the model, to tell kin from strangers.', max_length=100)),
                ('training_cutoff', models.DateField(help_text='As declared; nobody can verify it.', null=True)),
                ('prompt_price', models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ('completion_price', models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ('cached_price', models.DecimalField(decimal_places=6, help_text='Of tokens from a cache, if they cost less.', max_digits=12, null=True)),
                ('roles', models.JSONField(default=dict, help_text='Roles of the recipe with a model of their own: endpoint, model, decoding, prices.')),
                ('sha256', models.CharField(help_text='Of all of the above but its name.', max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('slug', 'version'), name='solver_version_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='solver_versions_count_from_one')],
            },
        ),
        migrations.CreateModel(
            name='SolveRun',
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
                ('solver', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='solving.solver')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='solve_runs', to='benchmark.release')),
                ('track', models.CharField(default='raw', max_length=50)),
                ('condition', models.CharField(blank=True, max_length=50)),
                ('split', models.CharField(blank=True, help_text='The part of the release; empty for all of it.', max_length=50)),
                ('attempts_each', models.PositiveSmallIntegerField(default=1)),
                ('attempt_tokens', models.PositiveBigIntegerField(null=True)),
                ('attempt_cost', models.DecimalField(decimal_places=6, max_digits=16, null=True)),
                ('attempt_seconds', models.PositiveIntegerField(help_text='Active ones.', null=True)),
                ('rule', models.CharField(choices=[('hard', 'Never exceeded'), ('published', 'Begun while less is used')], default='hard', max_length=10)),
                ('artifact', models.ForeignKey(help_text='What may be searched.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.frozentuple')),
                ('bank', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='solving.material')),
                ('blocked', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='solving.material')),
                ('seed', models.PositiveBigIntegerField(default=1)),
                ('cached_price', models.DecimalField(decimal_places=6, max_digits=12, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('finished_at', models.DateTimeField(null=True)),
                ('published', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='solved_by', to='benchmark.run')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state__in', ['running', 'paused'])), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'cancelled'])), _connector='OR'), name='solve_run_finished_at_some_time'), models.CheckConstraint(condition=models.Q(('published', None), ('state', 'done'), _connector='OR'), name='solve_run_published_when_done'), models.CheckConstraint(condition=models.Q(('max_tokens__isnull', False), ('max_cost__isnull', False), _connector='OR'), name='solve_run_has_a_budget'), models.CheckConstraint(condition=models.Q(('attempt_tokens__isnull', False), ('attempt_cost__isnull', False), ('attempt_seconds__isnull', False), _connector='OR'), name='solve_run_bounds_attempts'), models.CheckConstraint(condition=models.Q(('rule__in', ['hard', 'published'])), name='solve_run_rule_is_known'), models.CheckConstraint(condition=models.Q(('attempts_each__gte', 1), ('attempts_each__lte', 1000)), name='solve_run_attempts_from_one')],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='solving.solverun')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.instance')),
                ('number', models.PositiveSmallIntegerField(help_text='Counts the attempts at an instance, from 1.')),
                ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('ended', 'Ended')], default='running', max_length=10)),
                ('note', models.TextField(blank=True, help_text='Why it was paused by itself.')),
                ('ended_because', models.CharField(blank=True, choices=[('finished', 'Finished'), ('rounds', 'All rounds done'), ('tokens', 'Cap on tokens'), ('cost', 'Cap on cost'), ('time', 'Cap on time'), ('no_reply', 'No usable reply'), ('tool_fault', 'Fault of a tool'), ('cancelled', 'Cancelled')], max_length=20)),
                ('outcome', models.CharField(blank=True, choices=[('answered', 'Answered'), ('abstained', 'Abstained'), ('failed', 'Failed')], max_length=10)),
                ('result', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('ranking', models.JSONField(default=list, help_text='How the result was chosen, the best first.')),
                ('rounds', models.PositiveSmallIntegerField(default=0, help_text='The last round in which anything was done.')),
                ('tokens_spent', models.PositiveBigIntegerField(default=0)),
                ('cost_spent', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('active_seconds', models.FloatField(default=0.0)),
                ('began_at', models.DateTimeField(help_text='When its first step was over.', null=True)),
                ('ended_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['run', 'state', 'id'], name='attempt_of_run')],
                'constraints': [models.UniqueConstraint(fields=('run', 'instance', 'number'), name='attempt_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='attempt_numbers_from_one'), models.CheckConstraint(condition=models.Q(('state__in', ['running', 'paused', 'ended'])), name='attempt_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', False), ('state', 'ended'), models.Q(('ended_because', ''), _negated=True), models.Q(('outcome', ''), _negated=True)), models.Q(models.Q(('state', 'ended'), _negated=True), ('ended_at', None), ('ended_because', ''), ('outcome', '')), _connector='OR'), name='attempt_ended_for_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='MemoryEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memory', to='solving.attempt')),
                ('number', models.PositiveIntegerField(help_text='Counts the entries of the attempt, from 1.')),
                ('section', models.CharField(choices=[('problem', 'Problem'), ('literature', 'Literature'), ('knowledge', 'Knowledge'), ('proof', 'Proof'), ('feedback', 'Feedback')], max_length=20)),
                ('round', models.PositiveSmallIntegerField()),
                ('agent', models.CharField(max_length=20)),
                ('role', models.CharField(max_length=20)),
                ('step', models.CharField(blank=True, help_text='The key of the step that it is from.', max_length=100)),
                ('text', models.TextField()),
                ('sha256', models.CharField(help_text='Of the text in UTF-8.', max_length=64)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('attempt', 'number'), name='memory_entry_once'), models.UniqueConstraint(condition=models.Q(('step', ''), _negated=True), fields=('attempt', 'step', 'section'), name='memory_entry_once_per_step'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='memory_entries_from_one'), models.CheckConstraint(condition=models.Q(models.Q(('role__in', ['initializer', 'module']), ('section__in', ['problem', 'literature', 'knowledge'])), models.Q(('role__in', ['initializer', 'proposer']), ('section', 'proof')), models.Q(('role', 'verifier'), ('section', 'feedback')), _connector='OR'), name='memory_is_written_by_its_roles')],
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
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='steps', to='solving.solverun')),
                ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='steps', to='solving.attempt')),
                ('key', models.CharField(help_text='Its name within the attempt, for example r2.p1.', max_length=100)),
                ('kind', models.CharField(choices=[('ask', 'Question to the model'), ('tool', 'Use of a tool')], max_length=10)),
                ('round', models.PositiveSmallIntegerField()),
                ('endpoint', models.CharField(blank=True, help_text='Of a question: whom it is put to.', max_length=100)),
                ('agent', models.CharField(blank=True, max_length=20)),
                ('phase', models.CharField(blank=True, max_length=30)),
                ('name', models.CharField(help_text='The prompt, or the tool.', max_length=100)),
                ('question', models.JSONField(default=dict, help_text='Fields, rules and length of a question, or arguments.')),
                ('question_sha256', models.CharField(max_length=64)),
                ('reads', models.JSONField(default=list, help_text='The numbers of the memory entries that it shows.')),
                ('tokens_bound', models.PositiveBigIntegerField(default=0)),
                ('cost_bound', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('tokens_spent', models.PositiveBigIntegerField(default=0)),
                ('cost_spent', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('seconds', models.FloatField(default=0.0, help_text='Of the request that was answered.')),
                ('reply', models.JSONField(default=dict)),
                ('reply_state', models.CharField(blank=True, choices=[('parsed', 'Parsed'), ('unparsed', 'Not what was asked for')], max_length=15)),
                ('reply_fault', models.CharField(blank=True, help_text='Why the reply cannot be read.', max_length=500)),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'available_at'], name='solve_step_queue'), models.Index(fields=['run', 'kind', 'state', 'endpoint', 'id'], name='solve_step_of_run')],
                'constraints': [models.UniqueConstraint(fields=('attempt', 'key'), name='solve_step_once'), models.CheckConstraint(condition=models.Q(models.Q(('reply_state__in', ['parsed', 'unparsed']), ('state', 'done')), models.Q(models.Q(('state', 'done'), _negated=True), ('reply_state', '')), _connector='OR'), name='solve_step_done_iff_replied'), models.CheckConstraint(condition=models.Q(('kind__in', ['ask', 'tool'])), name='solve_step_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'ask'), models.Q(('endpoint', ''), _negated=True)), models.Q(models.Q(('kind', 'ask'), _negated=True), ('endpoint', '')), _connector='OR'), name='solve_step_asks_an_endpoint'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), models.Q(('lease_owner', ''), _negated=True), ('lease_until__isnull', False)), models.Q(models.Q(('state', 'leased'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='solve_step_leased_iff_it_has_an_owner'), models.CheckConstraint(condition=models.Q(('state', 'leased'), models.Q(('cost_reserved', 0), ('tokens_reserved', 0)), _connector='OR'), name='solve_step_reserves_only_while_leased')],
            },
        ),
        migrations.CreateModel(
            name='AskStep',
            fields=[
            ],
            options={
                'proxy': True,
            },
            bases=('solving.step',),
        ),
        migrations.CreateModel(
            name='ToolStep',
            fields=[
            ],
            options={
                'proxy': True,
            },
            bases=('solving.step',),
        ),
        migrations.CreateModel(
            name='SolveCall',
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
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='solving.step')),
                ('model', models.CharField(blank=True, help_text='The model that the reply says it is from.', max_length=200)),
                ('cached_tokens', models.PositiveIntegerField(help_text='Of the tokens sent.', null=True)),
                ('reasoning_tokens', models.PositiveIntegerField(help_text='Of the tokens received.', null=True)),
                ('adopted', models.BooleanField(default=False, help_text="Whether its reply is the step's.")),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('adopted', True)), fields=('task',), name='one_adopted_call_per_step'), models.CheckConstraint(condition=models.Q(('cached_tokens', None), models.Q(('cached_tokens__lte', models.F('prompt_tokens')), ('prompt_tokens__isnull', False)), _connector='OR'), name='solve_call_cached_tokens_were_sent'), models.CheckConstraint(condition=models.Q(('reasoning_tokens', None), models.Q(('completion_tokens__isnull', False), ('reasoning_tokens__lte', models.F('completion_tokens'))), _connector='OR'), name='solve_call_reasoning_was_received')],
            },
        ),
        install(GUARDS),
    ]
