"""Attached files: originals, what readers get of them, and to what they belong. They are frozen with it."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, install


def frozen(row: str) -> str:
    """Whether the run of the attachment's output, or the release of its instance, is frozen."""
    return (
        "EXISTS (SELECT 1 FROM benchmark_output o JOIN benchmark_run r ON r.id = o.run_id "  # nosec # names from this file
        f"WHERE o.id = {row}.output_id AND r.frozen_at IS NOT NULL) OR "
        "EXISTS (SELECT 1 FROM benchmark_instance n JOIN benchmark_release e ON e.id = n.release_id "
        f"WHERE n.id = {row}.instance_id AND e.frozen_at IS NOT NULL)"
    )


FROZEN = "its run or release is frozen"
GUARDS = [
    Guard("benchmark_attachment", "INSERT", frozen("NEW"), FROZEN),
    Guard("benchmark_attachment", "DELETE", frozen("OLD"), FROZEN),
    Guard("benchmark_attachment", "UPDATE", "TRUE", "an attachment is removed, not changed"),
    Guard("benchmark_originalfile", "UPDATE", "TRUE", "an uploaded file is removed, not changed"),
    Guard(
        "benchmark_originalfile",
        "DELETE",
        f"EXISTS (SELECT 1 FROM benchmark_attachment a WHERE a.id = OLD.attachment_id AND ({frozen('a')}))",  # nosec # names from this file
        FROZEN,
    ),
    Guard("benchmark_cleancopy", "UPDATE", "TRUE", "a clean copy never changes"),
]


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0012_files_of_people'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CleanCopy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('kind', models.CharField(choices=[('pdf', 'PDF'), ('image', 'Image')], max_length=10)),
                ('data', models.BinaryField()),
                ('pages', models.JSONField()),
                ('words', models.JSONField(default=list)),
                ('kept', models.JSONField(default=list)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['pdf', 'image'])), name='clean_copy_kind_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Attachment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('instance', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attachments', to='benchmark.instance')),
                ('output', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attachments', to='benchmark.output')),
                ('copy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attachments', to='benchmark.cleancopy')),
            ],
        ),
        migrations.CreateModel(
            name='OriginalFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=500)),
                ('sha256', models.CharField(max_length=64)),
                ('data', models.BinaryField()),
                ('dropped', models.JSONField(default=list)),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('attachment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='original', to='benchmark.attachment')),
            ],
        ),
        migrations.AddConstraint(
            model_name='attachment',
            constraint=models.CheckConstraint(condition=models.Q(('output', None), ('instance', None), _connector='XOR'), name='attachment_has_one_subject'),
        ),
        migrations.AddConstraint(
            model_name='attachment',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='attachments_count_from_one'),
        ),
        migrations.AddConstraint(
            model_name='attachment',
            constraint=models.UniqueConstraint(fields=('output', 'number'), name='attachment_once_per_output'),
        ),
        migrations.AddConstraint(
            model_name='attachment',
            constraint=models.UniqueConstraint(fields=('instance', 'number'), name='attachment_once_per_instance'),
        ),
        migrations.AddConstraint(
            model_name='originalfile',
            constraint=models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='original_file_has_a_name'),
        ),
        install(GUARDS),
    ]
