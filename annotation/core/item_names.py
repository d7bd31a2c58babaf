"""Names of items for blind staff: a row's number would reveal the order of the draw, and so the system."""

import hashlib
import hmac

from django.conf import settings

from accounts.refusal import Refused
from annotation.models import Campaign, Item

_KEY = "annotation.items:"


def item_name(item: int) -> str:
    """16 hexadecimal digits that identify the item and reveal nothing about it."""
    key = (_KEY + settings.SECRET_KEY).encode()
    return hmac.new(key, str(item).encode(), hashlib.sha256).hexdigest()[:16]


def item_called(campaign: Campaign, name: str) -> Item:
    """The item of that name with what its page shows; raises Refused (code "no_item")."""
    for pk in campaign.items.values_list("pk", flat=True):
        if item_name(pk) == name:
            rows = Item.objects.select_related(
                "campaign__rubric",
                "campaign__release__benchmark",
                "instance",
                "output__redacted",
                "second__redacted",
            )
            return rows.get(pk=pk)
    raise Refused(f"{campaign.slug} has no item {name!r}.", code="no_item")
