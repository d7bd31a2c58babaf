"""A grade says whether a judge's verdict was in sight of its reviewer; those that are here learn it from their arm."""

from django.db import migrations, models

from accounts.database.guards import Guard, append_only, install, lift

ARMED = "EXISTS (SELECT 1 FROM annotation_revealarm m WHERE m.assignment_id = NEW.assignment_id)"
SEEN = (
    "EXISTS (SELECT 1 FROM annotation_revealarm m JOIN annotation_assignment a ON a.id = m.assignment_id "
    "JOIN annotation_shownverdict v ON v.item_id = a.item_id WHERE a.id = NEW.assignment_id AND m.before)"
)
UNTRUE = (
    f"(NEW.supersedes_id IS NULL AND {ARMED} AND (NEW.verdict_seen IS NULL OR NEW.verdict_seen <> {SEEN})) "
    f"OR (NOT {ARMED} AND NEW.verdict_seen IS NOT NULL AND NEW.idempotency_key NOT LIKE 'import:%')"
)
KEPT = append_only("annotation_grade")


def from_the_arms(apps, schema_editor):
    grades, arms, verdicts = (
        apps.get_model("annotation", name).objects.using(schema_editor.connection.alias)
        for name in ("Grade", "RevealArm", "ShownVerdict")
    )
    drawn = grades.filter(assignment__in=arms.values("assignment"))
    drawn.update(verdict_seen=False)
    drawn.filter(
        assignment__in=arms.filter(before=True).values("assignment"),
        assignment__item__in=verdicts.values("item"),
    ).update(verdict_seen=True)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_reveal'),
    ]

    operations = [
        migrations.AddField(
            model_name='grade',
            name='verdict_seen',
            field=models.BooleanField(blank=True, null=True),
        ),
        lift(KEPT),
        migrations.RunPython(from_the_arms, migrations.RunPython.noop),
        install(
            [
                *KEPT,
                Guard(
                    "annotation_grade",
                    "INSERT",
                    UNTRUE,
                    "whether a verdict was in sight follows from the arm of the place",
                    part="sight",
                ),
            ]
        ),
    ]
