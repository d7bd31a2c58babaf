"""Files of frozen tuples: stored once by their hash, in parts, and immutable like the tuple that has them."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

STORED = "(SELECT COALESCE(SUM(LENGTH(p.data)), 0) FROM benchmark_tuplefilepart p WHERE p.file_id = {file})"
SIZE = "(SELECT f.size FROM benchmark_tuplefile f WHERE f.id = {file})"
TOO_MUCH = f"{STORED} + LENGTH(NEW.data) > {SIZE}".format(file="NEW.file_id")
NOT_WHOLE = " OR ".join(
    f"(NEW.{entry}_file_id IS NOT NULL AND {STORED} <> {SIZE})".format(file=f"NEW.{entry}_file_id")
    for entry in ("retrieval", "materialisation", "scoring")
)

class Migration(migrations.Migration):

    dependencies = [
        ('benchmark', '0016_labels_of_people'),
    ]

    operations = [
        migrations.CreateModel(
            name='TupleFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('size', models.PositiveBigIntegerField()),
                ('name', models.CharField(max_length=255)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(django.db.models.functions.text.Length('sha256'), 64), django.db.models.lookups.Exact(models.Func(models.F('sha256'), models.Value('0123456789abcdef'), function='TRIM'), '')), name='tuple_file_hash_is_hexadecimal'), models.CheckConstraint(condition=models.Q(('size__gte', 1)), name='tuple_file_is_not_empty'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='tuple_file_has_a_name')],
            },
        ),
        migrations.AddField(
            model_name='frozentuple',
            name='materialisation_file',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.tuplefile'),
        ),
        migrations.AddField(
            model_name='frozentuple',
            name='retrieval_file',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.tuplefile'),
        ),
        migrations.AddField(
            model_name='frozentuple',
            name='scoring_file',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='benchmark.tuplefile'),
        ),
        migrations.CreateModel(
            name='TupleFilePart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='parts', to='benchmark.tuplefile')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('file', 'number'), name='tuple_file_part_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='tuple_file_parts_count_from_one')],
            },
        ),
        install(
            [
                *append_only("benchmark_tuplefile"),
                *append_only("benchmark_tuplefilepart"),
                Guard("benchmark_tuplefilepart", "INSERT", TOO_MUCH, "a file has no more bytes than its size"),
                Guard("benchmark_frozentuple", "INSERT", NOT_WHOLE, "a file of a tuple is stored whole"),
            ]
        ),
    ]
