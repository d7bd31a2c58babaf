"""A verdict on the same text that was shown in another campaign was in sight, too."""

from django.db import migrations

from accounts.database.guards import Guard, install

ARMED = "EXISTS (SELECT 1 FROM annotation_revealarm m WHERE m.assignment_id = NEW.assignment_id)"
HERE = (
    "EXISTS (SELECT 1 FROM annotation_revealarm m JOIN annotation_assignment a ON a.id = m.assignment_id "
    "JOIN annotation_shownverdict v ON v.item_id = a.item_id WHERE a.id = NEW.assignment_id AND m.before)"
)
ELSEWHERE = (
    "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id "
    "JOIN annotation_item k ON k.output_id = i.output_id AND k.id <> i.id "
    "JOIN annotation_shownverdict v ON v.item_id = k.id "
    "JOIN annotation_assignment b ON b.item_id = k.id AND b.reviewer_id = a.reviewer_id "
    "JOIN annotation_revealarm m ON m.assignment_id = b.id WHERE a.id = NEW.assignment_id AND (m.before OR "
    "(b.state = 'submitted' AND (b.submitted_at < a.assigned_at OR NEW.supersedes_id IS NOT NULL))))"
)
UNTRUE = (
    f"(NEW.supersedes_id IS NULL AND {ARMED} "
    f"AND (NEW.verdict_seen IS NULL OR NEW.verdict_seen <> ({HERE} OR {ELSEWHERE}))) "
    f"OR (NOT {ARMED} AND NEW.idempotency_key NOT LIKE 'import:%' "
    f"AND (NEW.verdict_seen = FALSE OR (NEW.verdict_seen IS NOT NULL) <> {ELSEWHERE}))"
)


class Migration(migrations.Migration):

    dependencies = [("annotation", "0001_squashed_0031_search")]

    operations = [
        install(
            [
                Guard(
                    "annotation_grade",
                    "INSERT",
                    UNTRUE,
                    "whether a verdict was in sight follows from where it was shown",
                    part="sight",
                )
            ]
        )
    ]
