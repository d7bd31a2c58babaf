"""A campaign says whether reviewers can search while they grade; a grade says how often its reviewer did."""

from django.db import migrations, models

from accounts.database.guards import Guard, install


class Migration(migrations.Migration):
    dependencies = [("annotation", "0030_condition")]
    operations = [
        # in SQL, because Django would rebuild the tables on SQLite, which drops their guards
        migrations.RunSQL(
            "ALTER TABLE annotation_campaign ADD COLUMN with_search bool DEFAULT false NOT NULL",
            "ALTER TABLE annotation_campaign DROP COLUMN with_search",
            state_operations=[
                migrations.AddField(
                    "campaign", "with_search", models.BooleanField(db_default=False, default=False)
                ),
            ],
        ),
        migrations.RunSQL(
            "ALTER TABLE annotation_grade ADD COLUMN searches smallint NULL "
            "CONSTRAINT grade_searches_0_to_1000 CHECK (searches IS NULL OR searches BETWEEN 0 AND 1000)",
            "ALTER TABLE annotation_grade DROP COLUMN searches",
            state_operations=[
                migrations.AddField("grade", "searches", models.SmallIntegerField(blank=True, null=True)),
                migrations.AddConstraint(
                    "grade",
                    models.CheckConstraint(
                        condition=models.Q(("searches", None), ("searches__range", (0, 1000)), _connector="OR"),
                        name="grade_searches_0_to_1000",
                    ),
                ),
            ],
        ),
        install(
            [
                Guard(
                    "annotation_campaign",
                    "UPDATE",
                    "OLD.phase <> 'draft' AND NEW.with_search <> OLD.with_search",
                    "whether reviewers can search is frozen when a campaign opens",
                    part="search",
                )
            ]
        ),
    ]
