"""The text of the second output of a drawn pair stays as it was drawn, like that of the first."""

from django.db import migrations

from accounts.database.guards import Guard, install

MESSAGE = "this output was drawn into a campaign"


def drawn(row):
    return (
        "EXISTS (SELECT 1 FROM annotation_item i "
        f"WHERE i.output_id = {row}.output_id OR i.second_id = {row}.output_id)"  # nosec # names from this file
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0033_names_of_campaigns")]
    operations = [
        install(
            [
                Guard("benchmark_redactedoutput", "INSERT", drawn("NEW"), MESSAGE),
                Guard("benchmark_redactedoutput", "DELETE", drawn("OLD"), MESSAGE),
            ]
        )
    ]
