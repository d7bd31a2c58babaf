"""Pairs of outputs as items, the side shown first, mirrored repeats."""

from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, lift


earlier = import_module("annotation.migrations.0002_guards")
drawn_texts = import_module("annotation.migrations.0003_drawn_texts_stay")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0003_drawn_texts_stay'),
        ('benchmark', '0003_identity_scan'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        lift(
            [
                Guard("annotation_grade", "INSERT", earlier.CLOSED, "its campaign is closed"),
                *drawn_texts.TEXTS,
            ]
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_never_twice_to_one_reviewer',
        ),
        migrations.RemoveConstraint(
            model_name='campaign',
            name='campaign_kind_is_known',
        ),
        migrations.RemoveConstraint(
            model_name='item',
            name='item_once_per_campaign',
        ),
        migrations.AddField(
            model_name='answer',
            name='preferred',
            field=models.ForeignKey(blank=True, help_text='The output that a preference names, whichever side it stood on.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.output'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='repeat',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='assignment',
            name='swapped',
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='item',
            name='mirrored',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='item',
            name='second',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='second_items', to='benchmark.output'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='kind',
            field=models.CharField(choices=[('grade', 'Whole-answer grading'), ('audit', 'Audit of judge labels'), ('compare', 'Blind comparison of two answers')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='answer',
            constraint=models.CheckConstraint(condition=models.Q(('preferred__isnull', True), ('value__in', ['first', 'second']), _connector='OR'), name='answer_prefers_one_of_two'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('item', 'reviewer', 'repeat'), name='assignment_never_twice_to_one_reviewer'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('repeat', False), ('swapped__isnull', False), _connector='OR'), name='assignment_repeats_only_pairs'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['grade', 'audit', 'compare'])), name='campaign_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(condition=models.Q(('second__isnull', True)), fields=('campaign', 'output'), name='item_once_per_campaign'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(condition=models.Q(('second__isnull', False)), fields=('campaign', 'output', 'second'), name='item_pair_once_per_campaign'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('mirrored', False), ('second__isnull', True)), models.Q(("second__gt", models.F("output")), ("second__isnull", False)), _connector='OR'), name='item_pair_has_an_order_and_only_pairs_are_mirrored'),
        ),
    ]
