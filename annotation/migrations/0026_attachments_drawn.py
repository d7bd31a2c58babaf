"""What a campaign drew is read as it was drawn: no file comes or goes afterwards. Comments on pages of PDFs have anchors.

SQLite rebuilds the table of comments, which drops its guards.
"""

from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install

MESSAGE = "its output or instance was drawn into a campaign"


def drawn(row: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM annotation_item i WHERE i.output_id = {row}.output_id "  # nosec # names from this file
        f"OR i.second_id = {row}.output_id OR i.instance_id = {row}.instance_id)"
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0025_rubric_drafts"), ("benchmark", "0013_files")]
    operations = [
        migrations.AddField("comment", "anchor", models.JSONField(blank=True, null=True)),
        migrations.AddConstraint(
            "comment",
            models.CheckConstraint(
                condition=models.Q(anchor__isnull=False, block__contains="-page")
                | (models.Q(anchor__isnull=True) & ~models.Q(block__contains="-page")),
                name="comment_on_a_page_has_an_anchor",
            ),
        ),
        install(append_only("annotation_comment")),
        install(
            [
                Guard("benchmark_attachment", "INSERT", drawn("NEW"), MESSAGE, part="drawn"),
                Guard("benchmark_attachment", "DELETE", drawn("OLD"), MESSAGE, part="drawn"),
            ]
        )
    ]
