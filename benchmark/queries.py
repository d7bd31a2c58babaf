"""What is read: releases and what belongs to them."""

from accounts.refusal import Refused
from benchmark.models import Release


def release_named(name: str) -> Release:
    """The release with its benchmark; raises Refused naming those that exist."""
    release = Release.objects.select_related("benchmark").filter(name=name).first()
    if release is None:
        names = ", ".join(Release.objects.order_by("name").values_list("name", flat=True)) or "none yet"
        raise Refused(f"no release {name!r}; there are: {names}", code="no_release")
    return release
