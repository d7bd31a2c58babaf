"""A campaign says what counts as a split, and keeps it once it has opened."""

from django.db import migrations, models

from accounts.database.guards import Guard, install


class Migration(migrations.Migration):
    dependencies = [("annotation", "0026_attachments_drawn")]
    operations = [
        # in SQL, because Django would rebuild the table on SQLite, which drops its guards
        migrations.RunSQL(
            "ALTER TABLE annotation_campaign ADD COLUMN split_by varchar(10) DEFAULT 'level' NOT NULL "
            "CONSTRAINT campaign_split_by_is_known CHECK (split_by IN ('level', 'verdict'))",
            "ALTER TABLE annotation_campaign DROP COLUMN split_by",
            state_operations=[
                migrations.AddField(
                    "campaign",
                    "split_by",
                    models.CharField(
                        choices=[
                            ("level", "Graders give different answers"),
                            ("verdict", "Graders differ on whether it is solved"),
                        ],
                        db_default="level",
                        default="level",
                        max_length=10,
                    ),
                ),
                migrations.AddConstraint(
                    "campaign",
                    models.CheckConstraint(
                        condition=models.Q(split_by__in=["level", "verdict"]), name="campaign_split_by_is_known"
                    ),
                ),
            ],
        ),
        install(
            [
                Guard(
                    "annotation_campaign",
                    "UPDATE",
                    "OLD.phase <> 'draft' AND NEW.split_by <> OLD.split_by",
                    "what counts as a split is frozen when a campaign opens",
                    part="split_by",
                )
            ]
        ),
    ]
