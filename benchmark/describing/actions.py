"""Describing a release: licence, creators, citation. Not content, so frozen releases may be described too."""

from datetime import date

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import Release, ReleaseDescription


@transaction.atomic
def describe_release(
    *,
    actor: User | None,
    release: Release,
    licence: str,
    creators: str,
    published_on: date,
    citation: str = "",
    homepage: str = "",
    version: str = "1.0.0",
) -> ReleaseDescription:
    """Write or replace the description of a release; the same description again changes nothing.

    `licence` is an SPDX identifier, an address or words; several `creators` are separated by semicolons.
    Raises Refused when the licence, a creator or the version is empty, or the homepage is not a web address.
    """
    said = {
        "licence": " ".join(licence.split()),
        "creators": "; ".join(name.strip() for name in creators.split(";") if name.strip()),
        "citation": citation.strip(),
        "homepage": homepage.strip(),
        "version": version.strip(),
    }
    wanted = {**said, "published_on": published_on}
    try:
        ReleaseDescription(release=release, **wanted).clean_fields(exclude=["release"])
    except ValidationError as error:
        field, reasons = next(iter(error.message_dict.items()))
        raise Refused(reasons[0], code="invalid", field=field) from error
    description = ReleaseDescription.objects.select_for_update().filter(release=release).first()
    if description and all(getattr(description, field) == value for field, value in wanted.items()):
        return description
    description, _ = ReleaseDescription.objects.update_or_create(release=release, defaults=wanted)
    details = {**said, "published_on": published_on.isoformat()}
    record(actor=actor, verb="describe_release", target=release, details=details)
    return description
