"""What a pair is, and that nobody exchanges its sides; guards of tables that 0004 rebuilt, installed again."""

from importlib import import_module

from django.db import migrations

from accounts.database.guards import Guard, append_only, install

earlier = import_module("annotation.migrations.0002_guards")
drawn_texts = import_module("annotation.migrations.0003_drawn_texts_stay")


def other_instance(column: str) -> str:
    return f"(SELECT o.instance_id FROM benchmark_output o WHERE o.id = NEW.{column}) <> NEW.instance_id"  # nosec # names from this file


KIND = "(SELECT c.kind FROM annotation_campaign c WHERE c.id = NEW.campaign_id)"
STRANGE = (
    f"{other_instance('output_id')} OR (NEW.second_id IS NOT NULL AND {other_instance('second_id')}) "
    f"OR (NEW.second_id IS NOT NULL) <> ({KIND} = 'compare')"
)
SIDELESS = (
    "(NEW.swapped IS NULL) <> ((SELECT i.second_id FROM annotation_item i WHERE i.id = NEW.item_id) IS NULL) "
    "OR (NEW.repeat = TRUE AND NOT (SELECT i.mirrored FROM annotation_item i WHERE i.id = NEW.item_id))"
)
DRAW = (
    f"{earlier.DRAW} OR NEW.mirrored <> OLD.mirrored "
    "OR COALESCE(NEW.second_id, 0) <> COALESCE(OLD.second_id, 0)"
)
PLACE = (
    f"{earlier.PLACE} OR NEW.repeat <> OLD.repeat "
    "OR (NEW.swapped IS NULL) <> (OLD.swapped IS NULL) OR NEW.swapped <> OLD.swapped"
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_pairs")]
    operations = [
        install(
            [
                *append_only("annotation_answer"),
                Guard("annotation_grade", "INSERT", earlier.CLOSED, "its campaign is closed"),
                *drawn_texts.TEXTS,
                Guard("annotation_item", "INSERT", STRANGE, "an item is an output, or a pair, of its instance"),
                Guard("annotation_item", "UPDATE", DRAW, "the draw of an item is frozen"),
                Guard("annotation_assignment", "INSERT", SIDELESS, "a pair has sides, and nothing else has"),
                Guard("annotation_assignment", "UPDATE", PLACE, "an assignment keeps its item and reviewer"),
                Guard("annotation_assignment", "DELETE", "TRUE", "an assignment is released, not deleted"),
                Guard(
                    "annotation_campaign",
                    "UPDATE",
                    f"OLD.phase <> 'draft' AND ({earlier.TERMS})",
                    "the terms of an opened campaign are frozen",
                ),
            ]
        )
    ]
