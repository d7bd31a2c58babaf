"""Comments shared among reviewers: proposed, then decided about; their words stay."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, install

WORDS_STAY = Guard(
    "annotation_sharedcomment",
    "UPDATE",
    "NEW.text <> OLD.text OR NEW.proposed_by_id <> OLD.proposed_by_id OR NEW.protocol <> OLD.protocol",
    "the words of a shared comment never change",
)
NEVER_GONE = Guard("annotation_sharedcomment", "DELETE", "TRUE", "a shared comment is withdrawn, not deleted")


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0010_guesses'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SharedComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('protocol', models.CharField(max_length=50)),
                ('text', models.TextField()),
                ('state', models.CharField(choices=[('proposed', 'Proposed'), ('shared', 'Shared'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')], default='proposed', max_length=20)),
                ('proposed_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='shared_comments', to='annotation.campaign')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='shared_comment_says_something'), models.CheckConstraint(condition=models.Q(('state__in', ['proposed', 'shared', 'declined', 'withdrawn'])), name='shared_comment_state_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True), ('state', 'proposed')), models.Q(models.Q(('state', 'proposed'), _negated=True), ('decided_at__isnull', False), ('decided_by__isnull', False)), _connector='OR'), name='shared_comment_is_proposed_or_decided')],
            },
        ),
        install([WORDS_STAY, NEVER_GONE]),
    ]
