"""Two stored artifacts, found by their hashes and compared."""

from collections.abc import Mapping
from typing import Any

from accounts.refusal import Refused
from reports.artifact.differences import Comparison, compare, read_comparable
from reports.models import Artifact


def compare_stored(left: str, right: str) -> Comparison:
    """The comparison document of the artifacts with these hashes. Raises Refused when one is not there."""
    return compare(_stored(left, "left"), _stored(right, "right"))


def _stored(sha256: str, field: str) -> Mapping[str, Any]:
    if not sha256:
        raise Refused("Say which two frozen scores to compare.", code="required", field=field)
    found = Artifact.objects.filter(sha256=sha256).first()
    if found is None:
        raise Refused(f"There is no frozen score {sha256[:64]!r}.", code="no_artifact", field=field)
    return read_comparable(found.content.encode())
