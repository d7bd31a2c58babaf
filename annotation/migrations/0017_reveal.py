"""Verdicts shown to reviewers: frozen copies, the arm of each place, marks; and no second grade where one is shown."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

DRAFT = "(SELECT c.phase FROM annotation_campaign c WHERE c.id = NEW.campaign_id)"
STRANGE = (
    "NOT EXISTS (SELECT 1 FROM annotation_reveal r JOIN annotation_item i ON i.campaign_id = r.campaign_id "
    "JOIN annotation_campaign c ON c.id = r.campaign_id "
    "WHERE r.id = NEW.reveal_id AND i.id = NEW.item_id AND c.phase = 'draft')"
)
LATE_CLAIM = (
    "NOT EXISTS (SELECT 1 FROM annotation_shownverdict v JOIN annotation_reveal r ON r.id = v.reveal_id "
    "JOIN annotation_campaign c ON c.id = r.campaign_id WHERE v.id = NEW.verdict_id AND c.phase = 'draft')"
)
GRADED = (
    "(SELECT a.state FROM annotation_assignment a WHERE a.id = NEW.assignment_id) = 'submitted' OR "
    "NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id "
    "JOIN annotation_reveal r ON r.campaign_id = i.campaign_id WHERE a.id = NEW.assignment_id)"
)
MARK = (
    "NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_shownverdict v ON v.item_id = a.item_id "
    "JOIN annotation_shownclaim c ON c.verdict_id = v.id "
    "WHERE a.id = NEW.assignment_id AND c.id = NEW.claim_id AND a.state = 'submitted')"
)
REVEALED = (
    "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id "
    "JOIN annotation_reveal r ON r.campaign_id = i.campaign_id WHERE a.id = NEW.assignment_id)"
)
UNARMED = "NOT EXISTS (SELECT 1 FROM annotation_revealarm m WHERE m.assignment_id = NEW.assignment_id)"
UNSHOWN = (
    "NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_shownverdict v ON v.item_id = a.item_id "
    "WHERE a.id = NEW.assignment_id)"
)
GUARDS = [
    *append_only("annotation_reveal"),
    *append_only("annotation_shownverdict"),
    *append_only("annotation_shownclaim"),
    *append_only("annotation_revealarm"),
    *append_only("annotation_claimmark"),
    Guard("annotation_reveal", "INSERT", f"{DRAFT} <> 'draft'", "verdicts are attached before the campaign opens"),
    Guard("annotation_shownverdict", "INSERT", STRANGE, "a verdict is attached to an item of its draft"),
    Guard("annotation_shownclaim", "INSERT", LATE_CLAIM, "claims are attached with their verdict"),
    Guard("annotation_revealarm", "INSERT", GRADED, "an arm is drawn before the grade, where verdicts are attached"),
    Guard("annotation_claimmark", "INSERT", MARK, "claims of the own item are marked after the grade"),
    Guard(
        "annotation_grade",
        "INSERT",
        f"{REVEALED} AND (NEW.supersedes_id IS NOT NULL OR {UNARMED})",
        "where a verdict is shown a place has its arm, and its first grade is final",
        part="reveal",
    ),
    Guard(
        "annotation_latergrade",
        "INSERT",
        f"NEW.occasion = 'verdict' AND {UNSHOWN}",
        "an amendment follows a verdict that was shown",
        part="reveal",
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0016_calibration'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ShownClaim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='Reveal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=100)),
                ('judge', models.CharField(max_length=200)),
                ('predicate', models.CharField(max_length=100)),
                ('before_share', models.FloatField(default=0, help_text='Share of places that see the verdict before.')),
                ('seed', models.PositiveBigIntegerField()),
                ('withheld', models.PositiveIntegerField(help_text='Reasons left out because they name a system or a model.')),
                ('sha256', models.CharField(max_length=64)),
                ('attached_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('attached_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='reveal', to='annotation.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='RevealArm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.BooleanField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='reveal_arm', to='annotation.assignment')),
            ],
        ),
        migrations.CreateModel(
            name='ClaimMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mark', models.CharField(choices=[('right', 'Right'), ('wrong', 'Wrong'), ('irrelevant', 'Irrelevant')], max_length=20)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='claim_marks', to='annotation.assignment')),
                ('claim', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='marks', to='annotation.shownclaim')),
            ],
        ),
        migrations.CreateModel(
            name='ShownVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.CharField(max_length=50)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='shown_verdict', to='annotation.item')),
                ('reveal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='annotation.reveal')),
            ],
        ),
        migrations.AddField(
            model_name='shownclaim',
            name='verdict',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='claims', to='annotation.shownverdict'),
        ),
        migrations.AddConstraint(
            model_name='reveal',
            constraint=models.CheckConstraint(condition=models.Q(('before_share__range', (0, 1))), name='reveal_share_0_to_1'),
        ),
        migrations.AddConstraint(
            model_name='claimmark',
            constraint=models.UniqueConstraint(fields=('assignment', 'claim'), name='claim_marked_once'),
        ),
        migrations.AddConstraint(
            model_name='claimmark',
            constraint=models.CheckConstraint(condition=models.Q(('mark__in', ['right', 'wrong', 'irrelevant'])), name='claim_mark_is_known'),
        ),
        migrations.AddConstraint(
            model_name='shownverdict',
            constraint=models.CheckConstraint(condition=models.Q(('value', ''), _negated=True), name='shown_verdict_has_a_value'),
        ),
        migrations.AddConstraint(
            model_name='shownclaim',
            constraint=models.UniqueConstraint(fields=('verdict', 'number'), name='shown_claim_number_once'),
        ),
        migrations.AddConstraint(
            model_name='shownclaim',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='shown_claim_says_something'),
        ),
        install(GUARDS),
    ]
