"""Comments from elsewhere may be about no block. SQLite rebuilds the table, which drops its guards."""

from django.db import migrations, models

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0027_split_by'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='comment',
            name='comment_on_a_page_has_an_anchor',
        ),
        migrations.AlterField(
            model_name='comment',
            name='block',
            field=models.CharField(blank=True, max_length=50),
        ),
        migrations.AddConstraint(
            model_name='comment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('anchor__isnull', True), models.Q(('block__contains', '-page'), _negated=True), models.Q(('block', ''), _negated=True)), models.Q(('anchor__has_key', 'type'), ('anchor__isnull', False), ('anchor__type', 'pdf'), ('block__contains', '-page')), models.Q(('anchor__has_key', 'type'), ('anchor__isnull', False), ('anchor__type', 'words'), models.Q(('block__contains', '-page'), _negated=True), models.Q(('block', ''), _negated=True)), models.Q(('anchor__has_key', 'type'), ('anchor__isnull', False), ('anchor__type__in', ['lost', 'whole']), ('block', '')), _connector='OR'), name='comment_anchor_fits_its_block'),
        ),
        install(append_only("annotation_comment")),
    ]
