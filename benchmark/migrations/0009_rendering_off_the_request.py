"""Rendered texts are kept by format and text, with the source and the version of the renderer that was there.

What was stored under the old names nobody would find: it is deleted, and made again.
"""

from django.db import migrations, models


def forget(apps, schema_editor):
    apps.get_model("benchmark", "RenderedDocument").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0008_protocol_flags'),
    ]

    operations = [
        migrations.RunPython(forget, migrations.RunPython.noop),
        migrations.AddField(
            model_name='rendereddocument',
            name='leased_until',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='rendereddocument',
            name='rendered_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='rendereddocument',
            name='text',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AddField(
            model_name='rendereddocument',
            name='text_format',
            field=models.CharField(choices=[('latex', 'LaTeX'), ('markdown', 'Markdown'), ('plain', 'Plain text')], db_default='plain', max_length=10),
        ),
        migrations.AddField(
            model_name='rendereddocument',
            name='tries',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='rendereddocument',
            name='version',
            field=models.CharField(blank=True, db_default='', max_length=20),
        ),
        migrations.AlterField(
            model_name='rendereddocument',
            name='blocks',
            field=models.JSONField(default=list),
        ),
        migrations.AlterField(
            model_name='rendereddocument',
            name='report',
            field=models.JSONField(default=dict),
        ),
        migrations.AddIndex(
            model_name='rendereddocument',
            index=models.Index(condition=models.Q(('version', '')), fields=['id'], name='waiting_to_be_rendered'),
        ),
        migrations.AddConstraint(
            model_name='rendereddocument',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('rendered_at', None), ('version', '')), models.Q(models.Q(('version', ''), _negated=True), ('rendered_at__isnull', False)), _connector='OR'), name='rendered_by_a_version'),
        ),
    ]
