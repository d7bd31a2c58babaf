"""Flags of leakage: rows of a grade, immutable like it, about an output of the graded item or its instance."""

import django.db.models.deletion
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

STRANGE_OUTPUT = (
    "NEW.output_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_grade g "
    "JOIN annotation_assignment a ON a.id = g.assignment_id JOIN annotation_item i ON i.id = a.item_id "
    "WHERE g.id = NEW.grade_id AND (i.output_id = NEW.output_id OR i.second_id = NEW.output_id))"
)
FLAGGED_OUTPUT = Guard("annotation_flag", "INSERT", STRANGE_OUTPUT, "a flag is about an output of its item")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0007_decisions_stay'),
        ('benchmark', '0004_release_description'),
    ]

    operations = [
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('theorem', 'The anchor names a theorem'), ('author', 'The anchor names an author'), ('citation_key', 'The anchor holds a citation key'), ('doi', 'The anchor holds a DOI'), ('arxiv', 'The anchor holds an arXiv identifier'), ('source_title', "The anchor holds the source's title"), ('context', 'The context gives the step away'), ('public_solution', 'The solution is public'), ('restates_proof', 'The output restates the citing proof')], max_length=30)),
                ('link', models.CharField(blank=True, max_length=500)),
                ('note', models.TextField(blank=True)),
                ('grade', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='flags', to='annotation.grade')),
                ('output', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='leakage_flags', to='benchmark.output')),
            ],
        ),
        migrations.CreateModel(
            name='FlagSpan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('block', models.CharField(max_length=50)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('flag', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='spans', to='annotation.flag')),
            ],
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ('theorem', 'author', 'citation_key', 'doi', 'arxiv', 'source_title', 'context', 'public_solution')), ('output__isnull', True)), models.Q(('kind__in', ('restates_proof',)), ('output__isnull', False)), _connector='OR'), name='flag_kind_is_known_and_has_its_subject'),
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.CheckConstraint(condition=models.Q(('link', ''), ('link__startswith', 'http://'), ('link__startswith', 'https://'), _connector='OR'), name='flag_link_is_http'),
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'public_solution'), _negated=True), models.Q(('link', ''), _negated=True), _connector='OR'), name='flag_of_a_public_solution_says_where'),
        ),
        migrations.AddConstraint(
            model_name='flagspan',
            constraint=models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='flag_span_marks_something'),
        ),
        install([*append_only("annotation_flag"), *append_only("annotation_flagspan"), FLAGGED_OUTPUT]),
    ]
