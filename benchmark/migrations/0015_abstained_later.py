"""Answers that the staff count as abstained: only while their run is open, and only with that state."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from accounts.database.guards import Guard, install


def frozen(row: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM benchmark_output o JOIN benchmark_run r ON r.id = o.run_id "  # nosec # names from this file
        f"WHERE o.id = {row}.output_id AND r.frozen_at IS NOT NULL)"
    )


ANSWERED = "EXISTS (SELECT 1 FROM benchmark_output o WHERE o.id = NEW.output_id AND o.state <> 'abstained')"
GUARDS = [
    Guard("benchmark_abstention", "INSERT", frozen("NEW"), "its run is frozen"),
    Guard("benchmark_abstention", "INSERT", ANSWERED, "its output did not abstain", part="state"),
    Guard("benchmark_abstention", "DELETE", frozen("OLD"), "its run is frozen"),
    Guard("benchmark_abstention", "UPDATE", "TRUE", "a mark is withdrawn, not changed"),
]


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0014_pictures_in_texts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Abstention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('marked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('marked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('output', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='abstention', to='benchmark.output')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='abstention_has_a_reason')],
            },
        ),
        install(GUARDS),
    ]
