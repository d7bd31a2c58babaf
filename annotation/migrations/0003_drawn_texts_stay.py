"""What a campaign drew is read as it was drawn: no redaction comes or goes afterwards."""

from django.db import migrations

from accounts.database.guards import Guard, install

MESSAGE = "this output was drawn into a campaign"


def drawn(row: str) -> str:
    return f"EXISTS (SELECT 1 FROM annotation_item i WHERE i.output_id = {row}.output_id)"  # nosec # names from this file


TEXTS = [
    Guard("benchmark_redactedoutput", "INSERT", drawn("NEW"), MESSAGE),
    Guard("benchmark_redactedoutput", "DELETE", drawn("OLD"), MESSAGE),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_guards"), ("benchmark", "0003_identity_scan")]
    operations = [
        install(
            [
                *TEXTS,
                Guard("benchmark_redactedoutput", "UPDATE", "TRUE", "a redaction is withdrawn, not changed"),
                Guard(
                    "benchmark_identitydecision",
                    "UPDATE",
                    "OLD.withdrawn_at IS NOT NULL OR NEW.verdict <> OLD.verdict OR NEW.output_id <> OLD.output_id "
                    "OR NEW.reason <> OLD.reason",
                    "a decision is withdrawn, not changed",
                ),
                Guard("benchmark_identitydecision", "DELETE", "TRUE", "a decision stays in the history"),
            ]
        )
    ]
