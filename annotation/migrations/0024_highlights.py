"""A passage may be highlighted without a word about it. SQLite rebuilds the table, which drops its guards."""

from django.db import migrations, models

from accounts.database.guards import append_only, install

SEVERITIES = {"fatal": "Fatal", "major": "Major", "minor": "Minor", "typo": "Typo", "highlight": "Highlight"}


class Migration(migrations.Migration):
    dependencies = [("annotation", "0023_item_domain")]
    operations = [
        migrations.RemoveConstraint("comment", "comment_severity_is_known"),
        migrations.RemoveConstraint("comment", "comment_says_something"),
        migrations.AlterField("comment", "severity", models.CharField(max_length=20, choices=[*SEVERITIES.items()])),
        migrations.AddConstraint(
            "comment",
            models.CheckConstraint(condition=models.Q(severity__in=[*SEVERITIES]), name="comment_severity_is_known"),
        ),
        migrations.AddConstraint(
            "comment",
            models.CheckConstraint(
                condition=~models.Q(text="") | models.Q(severity="highlight"), name="comment_says_something"
            ),
        ),
        install(append_only("annotation_comment")),
    ]
