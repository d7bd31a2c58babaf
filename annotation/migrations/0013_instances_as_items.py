"""Instances as items of a construction audit; guards of and about the rebuilt tables are taken off and put back."""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

from accounts.database.guards import Guard, install, lift

earlier, drawn_texts, pairs, decisions, flags, training = (
    import_module(f"annotation.migrations.{name}")
    for name in (
        "0002_guards",
        "0003_drawn_texts_stay",
        "0005_pairs_keep_their_sides",
        "0007_decisions_stay",
        "0008_flags",
        "0012_training",
    )
)

STRANGE = (
    f"{pairs.STRANGE} OR (NEW.output_id IS NULL) <> ({pairs.KIND} = 'construction') "  # nosec # names from this file
    "OR (NEW.output_id IS NULL AND (SELECT n.release_id FROM benchmark_instance n WHERE n.id = NEW.instance_id) "
    "<> (SELECT c.release_id FROM annotation_campaign c WHERE c.id = NEW.campaign_id))"
)
DRAW = f"{pairs.DRAW} OR COALESCE(NEW.output_id, 0) <> COALESCE(OLD.output_id, 0)"
OTHERS = [
    Guard("annotation_grade", "INSERT", earlier.CLOSED, "its campaign is closed"),
    *drawn_texts.TEXTS,
    Guard("annotation_assignment", "INSERT", pairs.SIDELESS, "a pair has sides, and nothing else has"),
    Guard(
        "annotation_adjudication",
        "INSERT",
        decisions.DECISION,
        "a decision belongs to a closed campaign, and to the question it supersedes",
    ),
    Guard(
        "annotation_unblinding",
        "INSERT",
        decisions.NOT_CLOSED.format(campaign="NEW.campaign_id"),
        "only a closed campaign is unblinded",
    ),
    flags.FLAGGED_OUTPUT,
    *training.GUARDS,
]
OWN = [
    Guard("annotation_item", "INSERT", STRANGE, "an item is an output or a pair of its instance, or the instance where its campaign audits them"),
    Guard("annotation_item", "UPDATE", DRAW, "the draw of an item is frozen"),
    Guard(
        "annotation_campaign",
        "UPDATE",
        f"OLD.phase <> 'draft' AND ({decisions.TERMS})",
        "the terms of an opened campaign are frozen",
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0012_training'),
        ('benchmark', '0004_release_description'),
    ]

    operations = [
        lift([*OTHERS, *OWN]),
        migrations.RemoveConstraint(model_name='campaign', name='campaign_kind_is_known'),
        migrations.RemoveConstraint(model_name='item', name='item_pair_has_an_order_and_only_pairs_are_mirrored'),
        migrations.AlterField(
            model_name='campaign',
            name='kind',
            field=models.CharField(choices=[('grade', 'Whole-answer grading'), ('audit', 'Audit of judge labels'), ('compare', 'Blind comparison of two answers'), ('construction', 'Construction audit of instances')], max_length=20),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='track',
            field=models.CharField(blank=True, default='raw', max_length=50),
        ),
        migrations.AlterField(
            model_name='item',
            name='output',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='benchmark.output'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['grade', 'audit', 'compare', 'construction'])), name='campaign_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'construction'), ('track', '')), models.Q(models.Q(('kind', 'construction'), _negated=True), models.Q(('track', ''), _negated=True)), _connector='OR'), name='campaign_of_instances_alone_has_no_track'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(condition=models.Q(('output__isnull', True)), fields=('campaign', 'instance'), name='item_instance_once_per_campaign'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('mirrored', False), ('second__isnull', True)), models.Q(('output__isnull', False), ('second__gt', models.F('output')), ('second__isnull', False)), _connector='OR'), name='item_pair_has_an_order_and_only_pairs_are_mirrored'),
        ),
        install([*OTHERS, *OWN]),
    ]
