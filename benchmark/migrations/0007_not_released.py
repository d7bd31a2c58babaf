"""What was not released: marks in a table of their own, never both for one instance."""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

from accounts.database.guards import Guard, install

earlier = import_module("benchmark.migrations.0002_guards")

ELSEWHERE = (
    "(SELECT r.release_id FROM benchmark_run r WHERE r.id = NEW.run_id) "
    "<> (SELECT i.release_id FROM benchmark_instance i WHERE i.id = NEW.instance_id)"
)


def beside(table: str) -> str:
    return f"EXISTS (SELECT 1 FROM {table} o WHERE o.run_id = NEW.run_id AND o.instance_id = NEW.instance_id)"  # nosec # names from this file


MARKED, OUTPUT = beside("benchmark_unreleasedoutput"), beside("benchmark_output")
BOTH = "an output is released or it is not"


class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0006_frozen_tuples'),
    ]

    operations = [
        migrations.CreateModel(
            name='UnreleasedOutput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='unreleased', to='benchmark.instance')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='unreleased', to='benchmark.run')),
            ],
        ),
        migrations.AddConstraint(
            model_name='unreleasedoutput',
            constraint=models.UniqueConstraint(fields=('run', 'instance'), name='unreleased_once_per_instance'),
        ),
        install(
            [
                *earlier.frozen_parent("benchmark_unreleasedoutput", "benchmark_run", "run_id", "run"),
                *(
                    Guard("benchmark_unreleasedoutput", event, condition, message, part=part)
                    for event in ("INSERT", "UPDATE")
                    for condition, message, part in (
                        (ELSEWHERE, "an unreleased output is of an instance of its run", "elsewhere"),
                        (OUTPUT, BOTH, "released"),
                    )
                ),
                Guard("benchmark_output", "INSERT", MARKED, BOTH, part="released"),
                Guard("benchmark_output", "UPDATE", MARKED, BOTH, part="released"),
            ]
        ),
    ]
