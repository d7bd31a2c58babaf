"""Calibration rounds: blind answers that were revealed stay as they are; later answers are stored separately."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

REVEALED = (
    "EXISTS (SELECT 1 FROM annotation_calibrationitem ci JOIN annotation_calibrationround r ON r.id = ci.round_id "
    "WHERE r.revealed_at IS NOT NULL AND ci.item_id = {item})"
)
ITEM = "(SELECT a.item_id FROM annotation_assignment a WHERE a.id = NEW.assignment_id)"
NOT_DISCUSSED = (
    "NOT EXISTS (SELECT 1 FROM annotation_calibrationitem ci JOIN annotation_calibrationround r "
    "ON r.id = ci.round_id WHERE r.revealed_at IS NOT NULL AND r.ended_at IS NULL AND {which})"
)
UNSUBMITTED = "(SELECT a.state FROM annotation_assignment a WHERE a.id = NEW.assignment_id) <> 'submitted'"
LATER = (
    f"{UNSUBMITTED} OR (NEW.occasion = 'discussion' AND {NOT_DISCUSSED.format(which='ci.item_id = ' + ITEM)})"
)
SETTLED = (
    "OLD.ended_at IS NOT NULL OR NEW.campaign_id <> OLD.campaign_id OR NEW.made_by_id <> OLD.made_by_id "
    "OR NEW.made_at <> OLD.made_at OR (OLD.revealed_at IS NOT NULL AND (NEW.revealed_at IS NULL "
    "OR NEW.revealed_at <> OLD.revealed_at OR NEW.revealed_by_id <> OLD.revealed_by_id))"
)
STRANGE = (
    "(SELECT r.revealed_at FROM annotation_calibrationround r WHERE r.id = NEW.round_id) IS NOT NULL "
    "OR (SELECT r.campaign_id FROM annotation_calibrationround r WHERE r.id = NEW.round_id) "
    "<> (SELECT i.campaign_id FROM annotation_item i WHERE i.id = NEW.item_id)"
)
GUARDS = [
    Guard("annotation_calibrationround", "UPDATE", SETTLED, "a round is never hidden again, and its end is its end"),
    Guard("annotation_calibrationround", "DELETE", "TRUE", "a round is ended, not deleted"),
    *append_only("annotation_calibrationitem"),
    Guard("annotation_calibrationitem", "INSERT", STRANGE, "items of its campaign join a round before it is revealed"),
    *append_only("annotation_calibrationremark"),
    Guard(
        "annotation_calibrationremark",
        "INSERT",
        NOT_DISCUSSED.format(which="ci.id = NEW.subject_id"),
        "an item is discussed between the reveal and the end of its round",
    ),
    *append_only("annotation_latergrade"),
    *append_only("annotation_lateranswer"),
    Guard("annotation_latergrade", "INSERT", LATER, "later answers come after the blind ones, while they are asked for"),
    Guard(
        "annotation_grade",
        "INSERT",
        REVEALED.format(item=ITEM),
        "the blind answers of a revealed item are final",
        part="calibration",
    ),
    Guard(
        "annotation_assignment",
        "INSERT",
        REVEALED.format(item="NEW.item_id"),
        "a revealed item has no more places",
        part="calibration",
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0015_campaign_setup'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CalibrationRound',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('revealed_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calibration_rounds', to='annotation.campaign')),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('revealed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='CalibrationItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='calibration', to='annotation.item')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.calibrationround')),
            ],
        ),
        migrations.CreateModel(
            name='LaterGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('occasion', models.CharField(choices=[('discussion', 'After the discussion of a calibration round'), ('verdict', 'After the verdict of a judge was shown')], max_length=20)),
                ('reason', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='later_grades', to='annotation.assignment')),
            ],
        ),
        migrations.CreateModel(
            name='LaterAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.TextField(blank=True)),
                ('comment', models.TextField(blank=True)),
                ('later', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='annotation.latergrade')),
            ],
        ),
        migrations.CreateModel(
            name='CalibrationRemark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('subject', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='remarks', to='annotation.calibrationitem')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='calibration_remark_says_something')],
            },
        ),
        migrations.AddConstraint(
            model_name='calibrationround',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('campaign',), name='calibration_one_round_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='calibrationround',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('revealed_at__isnull', True), ('revealed_by__isnull', True)), models.Q(('ended_at__isnull', True), ('revealed_at__isnull', False), ('revealed_by__isnull', False)), models.Q(('ended_at__gte', models.F('revealed_at')), ('revealed_at__isnull', False), ('revealed_by__isnull', False)), _connector='OR'), name='calibration_is_revealed_before_it_ends'),
        ),
        migrations.AddConstraint(
            model_name='latergrade',
            constraint=models.UniqueConstraint(fields=('assignment', 'occasion'), name='later_grade_once_per_occasion'),
        ),
        migrations.AddConstraint(
            model_name='latergrade',
            constraint=models.CheckConstraint(condition=models.Q(('occasion__in', ['discussion', 'verdict'])), name='later_grade_occasion_is_known'),
        ),
        migrations.AddConstraint(
            model_name='latergrade',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='later_grade_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='lateranswer',
            constraint=models.UniqueConstraint(fields=('later', 'question', 'step'), name='later_answer_once'),
        ),
        install(GUARDS),
    ]
