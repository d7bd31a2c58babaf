"""Grades, answers, comments and rubrics are append-only; a draw and an opened campaign keep their terms."""

from django.db import migrations

from accounts.database.guards import Guard, append_only, install


def changed(*columns: str) -> str:
    return " OR ".join(f"NEW.{column} <> OLD.{column}" for column in columns)


DRAW = changed(
    "campaign_id", "output_id", "instance_id", "stratum", "stratum_size", "sample_size", "inclusion_probability", "places"
)
PLACE = changed("item_id", "reviewer_id", "handle")
TERMS = changed("release_id", "rubric_id", "kind", "track", "reviewers_per_item", "seed")
CLOSED = (
    "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id "
    "JOIN annotation_campaign c ON c.id = i.campaign_id WHERE a.id = NEW.assignment_id AND c.phase = 'closed')"
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [
        install(
            [
                *append_only("annotation_rubric"),
                *append_only("annotation_grade"),
                *append_only("annotation_answer"),
                *append_only("annotation_comment"),
                Guard("annotation_grade", "INSERT", CLOSED, "its campaign is closed"),
                Guard("annotation_item", "UPDATE", DRAW, "the draw of an item is frozen"),
                Guard("annotation_assignment", "UPDATE", PLACE, "an assignment keeps its item and reviewer"),
                Guard("annotation_assignment", "DELETE", "TRUE", "an assignment is released, not deleted"),
                Guard(
                    "annotation_campaign",
                    "UPDATE",
                    f"OLD.phase <> 'draft' AND ({TERMS})",
                    "the terms of an opened campaign are frozen",
                ),
            ]
        )
    ]
