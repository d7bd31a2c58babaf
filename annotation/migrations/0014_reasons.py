"""Why a grade holds no judgment, and where its reviewer had seen the solution: immutable like the grade."""

import django.db.models.deletion
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

UNSEEN = "NOT (SELECT g.seen_before FROM annotation_grade g WHERE g.id = NEW.grade_id)"
SEEN_FIRST = Guard("annotation_seenbefore", "INSERT", UNSEEN, "only who saw a solution before says where")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0013_instances_as_items'),
    ]

    operations = [
        migrations.CreateModel(
            name='SeenBefore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.CharField(max_length=500)),
                ('grade', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='seen_where', to='annotation.grade')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('place', ''), _negated=True), name='seen_before_says_where')],
            },
        ),
        migrations.CreateModel(
            name='Unjudged',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('nothing', 'There is nothing here that could be judged'), ('unreadable', 'The text cannot be read as it is shown'), ('material', 'What one needs to judge it is missing or out of reach'), ('statement', 'The statement is too unclear to say what would be right'), ('other', 'Something else')], max_length=20)),
                ('note', models.TextField(blank=True)),
                ('grade', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='unjudged', to='annotation.grade')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reason__in', ['nothing', 'unreadable', 'material', 'statement', 'other'])), name='unjudged_reason_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('reason', 'other'), _negated=True), models.Q(('note', ''), _negated=True), _connector='OR'), name='unjudged_otherwise_says_why')],
            },
        ),
        install([*append_only("annotation_unjudged"), *append_only("annotation_seenbefore"), SEEN_FIRST]),
    ]
