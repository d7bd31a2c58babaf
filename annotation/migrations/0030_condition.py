"""A campaign may be about the runs under one condition, and stays so once it has opened."""

import re

import django.core.validators
from django.db import migrations, models

from accounts.database.guards import Guard, install


class Migration(migrations.Migration):
    dependencies = [("annotation", "0029_files_in_training")]
    operations = [
        # in SQL, because Django would rebuild the table on SQLite for the constraint, which drops its guards
        migrations.RunSQL(
            "ALTER TABLE annotation_campaign ADD COLUMN condition varchar(50) NULL "
            "CONSTRAINT campaign_condition_is_of_runs "
            "CHECK (condition IS NULL OR (kind <> 'construction' AND condition <> ''))",
            "ALTER TABLE annotation_campaign DROP COLUMN condition",
            state_operations=[
                migrations.AddField(
                    "campaign",
                    "condition",
                    models.CharField(
                        blank=True,
                        max_length=50,
                        null=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                re.compile("^[-a-zA-Z0-9_]+\\Z"),
                                "Enter a valid “slug” consisting of letters, numbers, underscores or hyphens.",
                                "invalid",
                            )
                        ],
                    ),
                ),
                migrations.AddConstraint(
                    "campaign",
                    models.CheckConstraint(
                        condition=models.Q(
                            ("condition", None),
                            models.Q(
                                models.Q(("kind", "construction"), _negated=True),
                                models.Q(("condition", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="campaign_condition_is_of_runs",
                    ),
                ),
            ],
        ),
        install(
            [
                Guard(
                    "annotation_campaign",
                    "UPDATE",
                    "OLD.phase <> 'draft' AND COALESCE(NEW.condition, '') <> COALESCE(OLD.condition, '')",
                    "the condition of a campaign is frozen when it opens",
                    part="condition",
                )
            ]
        ),
    ]
