"""Conflicts of interest in free words, decided by a coordinator."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_access_tokens_expire'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='conflict',
            name='conflict_kind_is_known',
        ),
        migrations.AddField(
            model_name='conflict',
            name='decided_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='conflict',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='conflict',
            name='declared_at',
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AlterField(
            model_name='conflict',
            name='key',
            field=models.CharField(help_text="Whom or what it is with, in the user's words.", max_length=200),
        ),
        migrations.AlterField(
            model_name='conflict',
            name='kind',
            field=models.CharField(choices=[('system', 'AI system or its maker'), ('institution', 'Institution'), ('person', 'Person'), ('paper', 'Paper'), ('problem', 'Problem')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='conflict',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['system', 'institution', 'person', 'paper', 'problem'])), name='conflict_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='conflict',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True)), models.Q(('decided_at__isnull', False), ('decided_by__isnull', False)), _connector='OR'), name='conflict_decided_by_someone_at_some_time'),
        ),
    ]
