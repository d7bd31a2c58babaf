"""Decisions are immutable and come after the round; an unblinding needs a closed campaign and is never undone."""

from importlib import import_module

from django.db import migrations

from accounts.database.guards import Guard, append_only, install

earlier = import_module("annotation.migrations.0002_guards")
pairs = import_module("annotation.migrations.0005_pairs_keep_their_sides")
TERMS = f"{earlier.TERMS} OR NEW.problem_rule <> OLD.problem_rule"
NOT_CLOSED = "(SELECT c.phase FROM annotation_campaign c WHERE c.id = {campaign}) <> 'closed'"
CAMPAIGN_OF_ITEM = "(SELECT i.campaign_id FROM annotation_item i WHERE i.id = NEW.item_id)"
UNBLINDED = (
    "EXISTS (SELECT 1 FROM annotation_unblinding u JOIN annotation_item i ON i.campaign_id = u.campaign_id "
    "WHERE i.id = NEW.item_id AND u.confirmed_at IS NOT NULL)"
)
ANOTHER_QUESTION = (
    "NEW.supersedes_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_adjudication a "
    "WHERE a.id = NEW.supersedes_id AND a.item_id = NEW.item_id AND a.question = NEW.question "
    "AND a.step = NEW.step)"
)
DECISION = (
    f"{NOT_CLOSED.format(campaign=CAMPAIGN_OF_ITEM)} OR (NEW.amendment <> {UNBLINDED}) OR ({ANOTHER_QUESTION})"
)
REQUEST = earlier.changed("campaign_id", "reason", "requested_by_id", "requested_at")
SETTLED = f"OLD.confirmed_at IS NOT NULL OR OLD.withdrawn_at IS NOT NULL OR {REQUEST}"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_adjudication")]
    operations = [
        install(
            [
                Guard("annotation_grade", "INSERT", earlier.CLOSED, "its campaign is closed"),
                Guard("annotation_item", "INSERT", pairs.STRANGE, "an item is an output, or a pair, of its instance"),
                Guard(
                    "annotation_campaign",
                    "UPDATE",
                    f"OLD.phase <> 'draft' AND ({TERMS})",
                    "the terms of an opened campaign are frozen",
                ),
                *append_only("annotation_adjudication"),
                Guard(
                    "annotation_adjudication",
                    "INSERT",
                    DECISION,
                    "a decision belongs to a closed campaign, and to the question it supersedes",
                ),
                Guard(
                    "annotation_unblinding",
                    "INSERT",
                    NOT_CLOSED.format(campaign="NEW.campaign_id"),
                    "only a closed campaign is unblinded",
                ),
                Guard("annotation_unblinding", "UPDATE", SETTLED, "an unblinding keeps its request and its end"),
                Guard("annotation_unblinding", "DELETE", "TRUE", "an unblinding is withdrawn, not deleted"),
            ]
        )
    ]
