import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0005_instance_verdicts")]
    operations = [
        migrations.AddField(
            model_name="judgerun",
            name="after",
            field=models.ForeignKey(
                blank=True,
                help_text="Only what this judge left undecided is asked.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs_after_it",
                to="judging.judge",
            ),
        ),
        migrations.AddConstraint(
            model_name="judgerun",
            constraint=models.CheckConstraint(
                condition=models.Q(after__isnull=True) | ~models.Q(after=models.F("judge")),
                name="judge_run_not_after_itself",
            ),
        ),
    ]
