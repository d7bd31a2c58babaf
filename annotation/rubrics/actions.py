"""Rubrics that coordinators import: stored once, never changed."""

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.actions import require_staff
from annotation.importing.grades import rubric_row
from annotation.models import Rubric
from annotation.rubrics.available import RubricFileError, read_rubric_file
from benchmark.protocols import get_protocol, protocol_names


@transaction.atomic
def import_rubrics(*, actor: User, protocol: str, content: bytes) -> list[Rubric]:
    """Store the rubrics of a TOML file as versions for campaigns on releases of the protocol, all or none.

    A version that is stored already, with the same content, stays as it is. Raises Refused for anyone but staff,
    an unknown protocol, a file that does not fit (with line and reason), and a version stored with other content.
    """
    require_staff(actor)
    if protocol not in protocol_names():
        known = ", ".join(protocol_names())
        raise Refused(f"There is no protocol {protocol!r}; there are {known}.", field="protocol")
    try:
        rubrics = read_rubric_file(content, get_protocol(protocol))
    except RubricFileError as error:
        raise Refused(str(error), code="bad_rubric", field="file") from error
    before = set(Rubric.objects.filter(protocol=protocol).values_list("pk", flat=True))
    rows = [rubric_row(protocol, rubric) for rubric in rubrics]
    for row in rows:
        if row.pk not in before:
            details = {"protocol": protocol, "label": row.label, "sha256": row.sha256}
            record(actor=actor, verb="import_rubric", target=row, details=details)
    return rows
