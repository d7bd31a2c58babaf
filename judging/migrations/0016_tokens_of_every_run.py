"""What runs without a cap have used is counted, so that a cap that is given to one later holds."""

from decimal import ROUND_UP, Decimal

from django.db import migrations, models
from django.db.models import Sum

MILLION = Decimal(1_000_000)


def count(apps, schema_editor):
    """From the calls of runs that were asked before such runs counted."""
    runs = apps.get_model("judging", "JudgeRun").objects
    calls = apps.get_model("judging", "Call").objects
    for run in runs.filter(max_tokens=None, max_cost=None, tokens_spent=0).select_related("judge"):
        used = calls.filter(task__run=run).aggregate(sent=Sum("prompt_tokens"), received=Sum("completion_tokens"))
        sent, received = used["sent"] or 0, used["received"] or 0
        prices = {kind: Decimal(str(run.judge.prices.get(kind, 0))) for kind in ("prompt", "completion")}
        cost = (sent * prices["prompt"] + received * prices["completion"]) / MILLION
        cost = cost.quantize(Decimal("0.000001"), ROUND_UP)
        runs.filter(pk=run.pk).update(tokens_spent=sent + received, cost_spent=cost)


class Migration(migrations.Migration):
    dependencies = [("judging", "0015_step_verdicts")]
    operations = [
        migrations.AlterField(
            model_name="judgerun",
            name="tokens_spent",
            field=models.PositiveBigIntegerField(default=0, help_text="Sent and received, with or without a cap."),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
