"""The rows that are there, a few at a time, each few in a transaction of their own: nobody waits long for a lock."""

from django.db import connection, migrations

FEW = 50


def fill(apps, schema_editor):
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                "UPDATE annotation_assignment SET times_moved = 0 WHERE id IN "
                "(SELECT id FROM annotation_assignment WHERE times_moved IS NULL ORDER BY id LIMIT %s)",
                [FEW],
            )
            if cursor.rowcount < FEW:
                return


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("next_version", "0001_expand")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
