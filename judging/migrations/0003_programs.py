from django.db import migrations, models

from accounts.database.guards import append_only, install


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_guards")]
    operations = [
        migrations.AddField(
            model_name="judge",
            name="program",
            field=models.CharField(
                blank=True, help_text="The protocol's program that answers, with its version.", max_length=100
            ),
        ),
        migrations.AlterField(
            model_name="judge",
            name="prompts",
            field=models.JSONField(
                default=dict,
                help_text="Predicate to its prompt's name and SHA-256, or to the program that answers it.",
            ),
        ),
        migrations.AddConstraint(
            model_name="judge",
            constraint=models.CheckConstraint(
                condition=models.Q(program="") | models.Q(endpoint="", model="", votes=1),
                name="judge_program_has_no_model_and_one_vote",
            ),
        ),
        install(append_only("judging_judge")),  # SQLite rebuilds the table for the constraint
    ]
