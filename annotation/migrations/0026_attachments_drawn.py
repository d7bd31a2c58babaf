"""What a campaign drew is read as it was drawn: no file comes or goes afterwards."""

from django.db import migrations

from accounts.database.guards import Guard, install

MESSAGE = "its output or instance was drawn into a campaign"


def drawn(row: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM annotation_item i WHERE i.output_id = {row}.output_id "  # nosec # names from this file
        f"OR i.second_id = {row}.output_id OR i.instance_id = {row}.instance_id)"
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0025_rubric_drafts"), ("benchmark", "0013_files")]
    operations = [
        install(
            [
                Guard("benchmark_attachment", "INSERT", drawn("NEW"), MESSAGE, part="drawn"),
                Guard("benchmark_attachment", "DELETE", drawn("OLD"), MESSAGE, part="drawn"),
            ]
        )
    ]
