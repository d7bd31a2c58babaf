"""Adjudications, unblinding by two people, and rules of assignment."""

from importlib import import_module

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, lift


earlier = import_module("annotation.migrations.0002_guards")
pairs = import_module("annotation.migrations.0005_pairs_keep_their_sides")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_pairs_keep_their_sides'),
        ('benchmark', '0004_release_description'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        lift(
            [
                Guard("annotation_grade", "INSERT", earlier.CLOSED, "its campaign is closed"),
                Guard("annotation_item", "INSERT", pairs.STRANGE, "an item is an output, or a pair, of its instance"),
            ]
        ),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.CharField(max_length=200)),
                ('overrules', models.BooleanField(default=False, help_text='No grader gave this value.')),
                ('cause', models.CharField(blank=True, choices=[('gap_overlooked', 'A gap or error was overlooked'), ('gap_seen_wrongly', 'A sound step was taken for a gap'), ('reading_of_rubric', 'Different readings of the rubric'), ('severity', 'Same finding, weighed differently'), ('reference_wrong', 'Error in the reference solution'), ('statement_wrong', 'The statement is wrong or ambiguous'), ('outside_field', 'A grader was outside their field'), ('slip', 'Slip in entering the answer'), ('other', 'Something else')], max_length=30)),
                ('note', models.TextField(blank=True)),
                ('informed', models.BooleanField(default=False)),
                ('amendment', models.BooleanField(default=False)),
                ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='Unblinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=1000)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name='campaign',
            name='most_per_reviewer',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='campaign',
            name='problem_rule',
            field=models.CharField(choices=[('free', 'Any reviewer may see any outputs of a problem'), ('together', 'The same reviewers see all outputs of a problem'), ('apart', 'No reviewer sees two outputs of the same problem')], default='free', max_length=10),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('problem_rule__in', ['free', 'together', 'apart'])), name='campaign_problem_rule_is_known'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('most_per_reviewer__isnull', True), ('most_per_reviewer__gte', 1), _connector='OR'), name='campaign_most_per_reviewer_from_one'),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='decided_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='annotation.item'),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='supersedes',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='annotation.adjudication'),
        ),
        migrations.AddField(
            model_name='unblinding',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='unblindings', to='annotation.campaign'),
        ),
        migrations.AddField(
            model_name='unblinding',
            name='confirmed_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='unblinding',
            name='requested_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.UniqueConstraint(condition=models.Q(('supersedes__isnull', True)), fields=('item', 'question', 'step'), name='adjudication_one_first_per_question'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.CheckConstraint(condition=models.Q(('value', ''), _negated=True), name='adjudication_has_a_value'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.CheckConstraint(condition=models.Q(('cause', ''), ('cause__in', ['gap_overlooked', 'gap_seen_wrongly', 'reading_of_rubric', 'severity', 'reference_wrong', 'statement_wrong', 'outside_field', 'slip', 'other']), _connector='OR'), name='adjudication_cause_is_known'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.CheckConstraint(condition=models.Q(('overrules', False), models.Q(models.Q(('cause', ''), _negated=True), models.Q(('note', ''), _negated=True)), _connector='OR'), name='adjudication_overruling_has_cause_and_note'),
        ),
        migrations.AddConstraint(
            model_name='unblinding',
            constraint=models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('campaign',), name='unblinding_asked_once_per_campaign'),
        ),
        migrations.AddConstraint(
            model_name='unblinding',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='unblinding_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='unblinding',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('confirmed_at__isnull', True), ('confirmed_by__isnull', True)), models.Q(('confirmed_at__isnull', False), ('confirmed_by__isnull', False), ('withdrawn_at__isnull', True)), _connector='OR'), name='unblinding_is_confirmed_or_withdrawn'),
        ),
        migrations.AddConstraint(
            model_name='unblinding',
            constraint=models.CheckConstraint(condition=models.Q(('confirmed_by__isnull', True), models.Q(('confirmed_by', models.F('requested_by')), _negated=True), _connector='OR'), name='unblinding_takes_two_people'),
        ),
    ]
