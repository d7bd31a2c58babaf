"""Training: items with their gold, what reviewers answered to them, and no grade before the training is done."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

SET = "(SELECT c.phase FROM annotation_campaign c WHERE c.id = {row}.campaign_id)"
ITEM = (
    "(SELECT c.phase FROM annotation_campaign c JOIN annotation_trainingset t ON t.campaign_id = c.id "
    "WHERE t.id = {row}.training_id)"
)
OF_ITEM = (
    "(SELECT c.phase FROM annotation_campaign c JOIN annotation_trainingset t ON t.campaign_id = c.id "
    "JOIN annotation_trainingitem i ON i.training_id = t.id WHERE i.id = {row}.item_id)"
)
MAY_NOT_SKIP = (
    "NOT EXISTS (SELECT 1 FROM annotation_trainingset t WHERE t.id = NEW.training_id AND t.may_skip)"
)
UNTRAINED = (
    "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id "
    "JOIN annotation_trainingset t ON t.campaign_id = i.campaign_id "
    "JOIN annotation_trainingitem x ON x.training_id = t.id WHERE a.id = NEW.assignment_id "
    "AND NOT EXISTS (SELECT 1 FROM annotation_trainingattempt y WHERE y.item_id = x.id "
    "AND y.reviewer_id = a.reviewer_id) "
    "AND NOT EXISTS (SELECT 1 FROM annotation_trainingskip s WHERE s.training_id = t.id "
    "AND s.reviewer_id = a.reviewer_id))"
)
FROZEN = "the training of an opened campaign is frozen"


def kept_once_open(table: str, phase: str) -> list[Guard]:
    """Rows come and go while the campaign is in draft, and never change."""
    return [
        Guard(table, "INSERT", f"{phase.format(row='NEW')} <> 'draft'", FROZEN),
        Guard(table, "UPDATE", "TRUE", "a training is replaced as a whole"),
        Guard(table, "DELETE", f"{phase.format(row='OLD')} <> 'draft'", FROZEN),
    ]


GUARDS = [
    *kept_once_open("annotation_trainingset", SET),
    *kept_once_open("annotation_trainingitem", ITEM),
    *kept_once_open("annotation_traininggold", OF_ITEM),
    *append_only("annotation_trainingattempt"),
    *append_only("annotation_traininganswer"),
    *append_only("annotation_trainingskip"),
    Guard(
        "annotation_trainingattempt",
        "INSERT",
        f"{OF_ITEM.format(row='NEW')} <> 'open'",
        "training is done while its campaign is open",
    ),
    Guard("annotation_trainingskip", "INSERT", MAY_NOT_SKIP, "this training may not be skipped"),
    Guard("annotation_grade", "INSERT", UNTRAINED, "training comes before real work", part="training"),
]


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0011_shared_comments'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='TrainingItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('title', models.CharField(max_length=500)),
                ('domain', models.CharField(max_length=100)),
                ('problem', models.JSONField()),
                ('answer', models.JSONField()),
                ('text', models.TextField()),
                ('text_format', models.CharField(choices=[('latex', 'LaTeX'), ('markdown', 'Markdown'), ('plain', 'Plain text')], max_length=20)),
                ('note', models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name='TrainingAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='training_attempts', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='annotation.trainingitem')),
            ],
        ),
        migrations.CreateModel(
            name='TrainingSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('may_skip', models.BooleanField(default=False, help_text='Reviewers may go to real work without it.')),
                ('sha256', models.CharField(help_text='Of all items with their gold.', max_length=64)),
                ('attached_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('attached_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='training', to='annotation.campaign')),
            ],
        ),
        migrations.AddField(
            model_name='trainingitem',
            name='training',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.trainingset'),
        ),
        migrations.CreateModel(
            name='TrainingSkip',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('training', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='skips', to='annotation.trainingset')),
            ],
        ),
        migrations.CreateModel(
            name='TrainingAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.TextField(blank=True)),
                ('comment', models.TextField(blank=True)),
                ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='annotation.trainingattempt')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('attempt', 'question', 'step'), name='training_answer_once')],
            },
        ),
        migrations.CreateModel(
            name='TrainingGold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=100)),
                ('step', models.CharField(blank=True, max_length=50)),
                ('value', models.TextField()),
                ('rationale', models.TextField(blank=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold', to='annotation.trainingitem')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('item', 'question', 'step'), name='training_gold_once'), models.CheckConstraint(condition=models.Q(('value', ''), _negated=True), name='training_gold_has_a_value')],
            },
        ),
        migrations.AddConstraint(
            model_name='trainingattempt',
            constraint=models.UniqueConstraint(fields=('item', 'reviewer'), name='training_attempt_once'),
        ),
        migrations.AddConstraint(
            model_name='trainingitem',
            constraint=models.UniqueConstraint(fields=('training', 'number'), name='training_item_number_once'),
        ),
        migrations.AddConstraint(
            model_name='trainingitem',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='training_items_count_from_one'),
        ),
        migrations.AddConstraint(
            model_name='trainingskip',
            constraint=models.UniqueConstraint(fields=('training', 'reviewer'), name='training_skipped_once'),
        ),
        install(GUARDS),
    ]
