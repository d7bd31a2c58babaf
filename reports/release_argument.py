"""The `--release` argument that several commands share."""

from accounts.refusal import Refused
from benchmark.models import Release


def release_called(name: str) -> Release:
    """The release of that name; raises Refused naming those that exist."""
    release = Release.objects.select_related("benchmark").filter(name=name).first()
    if release is None:
        known = ", ".join(Release.objects.order_by("name").values_list("name", flat=True)) or "none"
        raise Refused(f"There is no release {name!r}; there are: {known}.", code="no_release")
    return release
