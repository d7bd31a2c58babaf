"""A campaign's name is a part of addresses: names that imports of labels once let through are changed, then refused."""

import re

from django.db import migrations
from django.utils.text import slugify

from accounts.database.guards import Guard, install

LETTERS = "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# What is left of a name when its letters are taken from both ends begins with one that no name may have.
UNTRUE = f"NEW.slug IN ('', 'new') OR trim(NEW.slug, '{LETTERS}') <> ''"
MESSAGE = "the name of a campaign is part of an address"
GUARDS = [Guard("annotation_campaign", event, UNTRUE, MESSAGE, part="name") for event in ("INSERT", "UPDATE")]


def rename(apps, schema_editor):
    """The title of an imported campaign keeps its old name readable."""
    campaigns = apps.get_model("annotation", "Campaign").objects
    taken = set(campaigns.values_list("slug", flat=True)) | {"new"}
    for pk, slug in campaigns.order_by("pk").values_list("pk", "slug"):
        if re.fullmatch(r"[-a-zA-Z0-9_]+", slug) and slug != "new":
            continue
        plain = slugify(slug)[:90] or "campaign"
        free = next(name for number in range(1, len(taken) + 2) if (name := _numbered(plain, number)) not in taken)
        taken.add(free)
        campaigns.filter(pk=pk).update(slug=free)


def _numbered(name, number):
    return name if number == 1 else f"{name}-{number}"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0032_verdict_seen_elsewhere")]
    operations = [migrations.RunPython(rename, migrations.RunPython.noop), install(GUARDS)]
