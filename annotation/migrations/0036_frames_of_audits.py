"""An audit keeps what it was drawn from; audits drawn before have no frame."""

from django.db import migrations, models

from accounts.database.guards import Guard, install

CHANGED = "COALESCE(CAST(NEW.frame AS text), '') <> COALESCE(CAST(OLD.frame AS text), '')"
DRAWN = "EXISTS (SELECT 1 FROM annotation_item i WHERE i.campaign_id = NEW.id)"
STRANGE = "NEW.frame IS NOT NULL AND NEW.kind <> 'audit'"
GUARDS = [
    Guard("annotation_campaign", "INSERT", STRANGE, "only an audit has a frame", part="frame"),
    Guard("annotation_campaign", "UPDATE", f"{STRANGE} OR {CHANGED} AND {DRAWN}", "the frame of a draw is frozen", part="frame"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0035_answers_in_words")]
    operations = [
        migrations.AddField("campaign", "frame", models.JSONField(blank=True, editable=False, null=True)),
        install(GUARDS),
    ]
