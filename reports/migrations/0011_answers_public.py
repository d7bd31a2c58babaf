"""Releases learn where a record that was published earlier shows their answers."""

from django.db import migrations


def note_addresses(apps, schema_editor):
    """The newest version that shows answers, withdrawn or not: its files stay."""
    alias = schema_editor.connection.alias
    records = apps.get_model("reports", "PublicRecord").objects.using(alias).select_related("artifact")
    descriptions = apps.get_model("benchmark", "ReleaseDescription").objects.using(alias)
    for record in records.order_by("pk"):
        if record.declared.get("show_outputs"):
            described = descriptions.filter(release=record.artifact.release_id)
            described.update(answers_public_at=record.declared["address"])


class Migration(migrations.Migration):

    dependencies = [
        ("benchmark", "0018_answers_public"),
        ("reports", "0001_squashed_0010_public_records"),
    ]

    operations = [migrations.RunPython(note_addresses, migrations.RunPython.noop)]
