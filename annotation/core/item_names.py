"""Items as blind staff see them: a row's number, or the order of a pair's rows, would reveal the system."""

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


def is_turned(item: Item) -> bool:
    """Whether the blind see the second output of a pair first: its own order tells which was imported earlier."""
    if item.second_id is None:
        return False
    key = (_KEY + settings.SECRET_KEY).encode()
    return bool(hmac.new(key, f"sides {item.pk}".encode(), hashlib.sha256).digest()[0] & 1)


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
