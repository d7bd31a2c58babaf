"""The tables and guards of judging up to here at once, for a new database.

One that has taken some of the steps it replaces takes the others one by one (docs/adr/0065).
"""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import append_only, install

GUARDS = [
    *append_only("judging_judge"),
    *append_only("judging_call"),
    *append_only("judging_verdict"),
]


class Migration(migrations.Migration):

    replaces = [('judging', '0001_initial'), ('judging', '0002_guards'), ('judging', '0003_programs'), ('judging', '0004_call_token'), ('judging', '0005_instance_verdicts'), ('judging', '0006_run_after'), ('judging', '0007_budgets_and_breakers'), ('judging', '0008_early_stop_and_repair'), ('judging', '0009_pairs'), ('judging', '0010_instances_in_the_queue'), ('judging', '0011_one_table_of_verdicts')]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_invitations_mailed'),
        ('benchmark', '0001_squashed_0017_files_of_tuples'),
    ]

    operations = [
        migrations.CreateModel(
            name='Judge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100)),
                ('version', models.PositiveSmallIntegerField(default=1)),
                ('protocol', models.CharField(max_length=50)),
                ('model', models.CharField(max_length=200)),
                ('family', models.CharField(blank=True, max_length=100)),
                ('endpoint', models.CharField(blank=True, help_text='Empty for a judge whose verdicts were imported.', max_length=100)),
                ('decoding', models.JSONField(default=dict)),
                ('published_as', models.CharField(blank=True, help_text="The version's name in the file it was imported from.", max_length=200)),
                ('votes', models.PositiveSmallIntegerField(default=1)),
                ('prompts', models.JSONField(default=dict, help_text="Predicate to its prompt's name and SHA-256, or to the program that answers it.")),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('program', models.CharField(blank=True, help_text="The protocol's program that answers, with its version.", max_length=100)),
                ('budget', models.JSONField(default=dict, help_text='What one run may use at most: tokens, cost.')),
                ('prices', models.JSONField(default=dict, help_text="Price of a million tokens: prompt and completion, in the deployment's currency.")),
                ('early_stop', models.BooleanField(default=False, help_text='Votes that can no longer change the majority are not asked for.')),
                ('repair', models.BooleanField(default=False, help_text='A reply that cannot be read is asked for once more, as a call of its own.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('slug', 'version'), name='judge_version_once'), models.CheckConstraint(condition=models.Q(('votes__range', (1, 99))), name='judge_votes_1_to_99'), models.CheckConstraint(condition=models.Q(('program', ''), models.Q(('endpoint', ''), ('model', ''), ('votes', 1)), _connector='OR'), name='judge_program_has_no_model_and_one_vote')],
            },
        ),
        migrations.CreateModel(
            name='EndpointState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('failures', models.PositiveIntegerField(default=0, help_text='Calls in a row that failed.')),
                ('times_opened', models.PositiveIntegerField(default=0, help_text='In a row, without a success between.')),
                ('open_until', models.DateTimeField(blank=True, null=True)),
                ('probing', models.BooleanField(default=False, help_text='One call is on its way to find out.')),
                ('last_error', models.TextField(blank=True)),
                ('next_turn_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='JudgeRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('track', models.CharField(blank=True, default='raw', help_text='Of the outputs; empty for a run on instances.', max_length=50)),
                ('predicates', models.JSONField()),
                ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('cancelled', 'Cancelled'), ('done', 'Done')], default='running', max_length=20)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='judging.judge')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judge_runs', to='benchmark.release')),
                ('after', models.ForeignKey(blank=True, help_text='Only what this judge left undecided is asked.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs_after_it', to='judging.judge')),
                ('cost_spent', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('max_cost', models.DecimalField(blank=True, decimal_places=6, max_digits=16, null=True)),
                ('max_tokens', models.PositiveBigIntegerField(blank=True, null=True)),
                ('note', models.TextField(blank=True, help_text='Why the run was paused by itself.')),
                ('priority', models.SmallIntegerField(default=0, help_text='Runs with a higher number are asked first.')),
                ('tokens_spent', models.PositiveBigIntegerField(default=0, help_text='Counted for capped runs only.')),
                ('subject', models.CharField(choices=[('output', 'Outputs of a track, or pairs of them'), ('instance', 'Instances')], default='output', max_length=20)),
            ],
            options={
                'indexes': [models.Index(fields=['state', '-priority', 'id'], name='judge_run_by_priority')],
                'constraints': [models.CheckConstraint(condition=models.Q(('after__isnull', True), models.Q(('after', models.F('judge')), _negated=True), _connector='OR'), name='judge_run_not_after_itself'), models.CheckConstraint(condition=models.Q(models.Q(('subject', 'output'), models.Q(('track', ''), _negated=True)), models.Q(('after', None), ('subject', 'instance'), ('track', '')), _connector='OR'), name='judge_run_on_instances_has_no_track')],
            },
        ),
        migrations.CreateModel(
            name='Call',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prompt_sha256', models.CharField(max_length=64)),
                ('request', models.JSONField()),
                ('reply', models.JSONField(blank=True, null=True)),
                ('error', models.TextField(blank=True)),
                ('prompt_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('completion_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('latency_seconds', models.FloatField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.judge')),
                ('token', models.UUIDField(editable=False, help_text='Given by the worker, so that no call is stored twice.', null=True, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='JudgeTask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('predicate', models.CharField(max_length=50)),
                ('order', models.PositiveSmallIntegerField(default=1)),
                ('vote', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('done', 'Done'), ('failed', 'Failed'), ('held', 'Held back until earlier votes are in'), ('not_needed', 'Not needed: the majority is settled')], default='waiting', max_length=20)),
                ('available_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_owner', models.CharField(blank=True, max_length=100)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('last_error', models.TextField(blank=True)),
                ('output', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judge_tasks', to='benchmark.output')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='judging.judgerun')),
                ('cost_reserved', models.DecimalField(decimal_places=6, default=0, max_digits=16)),
                ('tokens_reserved', models.PositiveBigIntegerField(default=0)),
                ('repair_of', models.ForeignKey(blank=True, help_text='The call whose reply could not be read; set once, so that there is one repair at most.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.call')),
                ('second', models.ForeignKey(blank=True, help_text='Of a pair: the output that order 1 shows second. The value is the place, as shown, of the better one.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.output')),
                ('instance', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judge_tasks', to='benchmark.instance')),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'available_at'], name='judge_task_queue'), models.Index(fields=['run', 'state', 'id'], name='judge_task_of_run')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), models.Q(('lease_owner', ''), _negated=True), ('lease_until__isnull', False)), models.Q(models.Q(('state', 'leased'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='judge_task_leased_iff_it_has_an_owner'), models.CheckConstraint(condition=models.Q(('state', 'leased'), models.Q(('cost_reserved', 0), ('tokens_reserved', 0)), _connector='OR'), name='judge_task_reserves_only_while_leased'), models.UniqueConstraint(condition=models.Q(('second', None)), fields=('run', 'output', 'predicate', 'order', 'vote'), name='judge_task_once_per_run'), models.UniqueConstraint(condition=models.Q(('second__isnull', False)), fields=('run', 'output', 'second', 'predicate', 'order', 'vote'), name='judge_task_on_a_pair_once_per_run'), models.CheckConstraint(condition=models.Q(('second', None), models.Q(('order__in', [1, 2]), ('second__gt', models.F('output'))), _connector='OR'), name='judge_task_pair_is_in_order'), models.CheckConstraint(condition=models.Q(models.Q(('instance', None), ('output__isnull', False)), models.Q(('instance__isnull', False), ('order', 1), ('output', None), ('second', None)), _connector='OR'), name='judge_task_has_one_subject'), models.UniqueConstraint(condition=models.Q(('instance__isnull', False)), fields=('run', 'instance', 'predicate', 'order', 'vote'), name='judge_task_on_an_instance_once_per_run')],
            },
        ),
        migrations.CreateModel(
            name='Verdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('predicate', models.CharField(max_length=50)),
                ('order', models.PositiveSmallIntegerField(default=1)),
                ('vote', models.PositiveSmallIntegerField(default=1)),
                ('value', models.CharField(blank=True, max_length=50)),
                ('state', models.CharField(choices=[('answered', 'Answered'), ('abstain', 'Abstain'), ('unavailable', 'Unavailable'), ('unparsed', 'Unparsed')], default='answered', max_length=20)),
                ('confidence', models.FloatField(blank=True, null=True)),
                ('reason', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('call', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='judging.call')),
                ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='judging.judge')),
                ('output', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='benchmark.output')),
                ('second', models.ForeignKey(blank=True, help_text='Of a pair: the output that order 1 shows second. The value is the place, as shown, of the better one.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.output')),
                ('evidence', models.JSONField(blank=True, default=dict, help_text="A program's own, of a construction audit: marked spans, or what was compared.")),
                ('instance', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='benchmark.instance')),
            ],
            options={
                'indexes': [models.Index(fields=['output', 'predicate'], name='verdict_by_output'), models.Index(fields=['instance', 'predicate'], name='verdict_by_instance')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'answered'), models.Q(('value', ''), _negated=True)), models.Q(models.Q(('state', 'answered'), _negated=True), ('value', '')), _connector='OR'), name='verdict_has_a_value_iff_answered'), models.CheckConstraint(condition=models.Q(('confidence__isnull', True), ('confidence__range', (0, 1)), _connector='OR'), name='verdict_confidence_0_to_1'), models.UniqueConstraint(condition=models.Q(('second', None)), fields=('judge', 'output', 'predicate', 'order', 'vote'), name='verdict_exactly_once'), models.UniqueConstraint(condition=models.Q(('second__isnull', False)), fields=('judge', 'output', 'second', 'predicate', 'order', 'vote'), name='verdict_on_a_pair_exactly_once'), models.CheckConstraint(condition=models.Q(('second', None), models.Q(('order__in', [1, 2]), ('second__gt', models.F('output'))), _connector='OR'), name='verdict_pair_is_in_order'), models.CheckConstraint(condition=models.Q(models.Q(('instance', None), ('output__isnull', False)), models.Q(('instance__isnull', False), ('order', 1), ('output', None), ('second', None)), _connector='OR'), name='verdict_has_one_subject'), models.UniqueConstraint(condition=models.Q(('instance__isnull', False)), fields=('judge', 'instance', 'predicate', 'order', 'vote'), name='verdict_on_an_instance_exactly_once')],
            },
        ),
        migrations.AddField(
            model_name='call',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='judging.judgetask'),
        ),
        install(GUARDS),
    ]
