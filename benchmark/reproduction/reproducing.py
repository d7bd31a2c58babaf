"""Two releases made by two runs of the same curation: how far the second reproduces the first."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.protocols import get_protocol

FORMAT = "touchstone-reproduction-1"
_CHUNK = 500


def reproduction(first: Release, second: Release, proximate: Iterable[str]) -> dict[str, object]:
    """What the protocol says about the two. `proximate`: keys of the first that experts found again in other words.

    Raises Refused for releases of different protocols, for a protocol that compares none, and for keys that do not fit.
    """
    name = first.benchmark.protocol
    compare = get_protocol(name).compare_releases
    if second.benchmark.protocol != name:
        raise Refused(f"{second.name} and {first.name} are of different protocols.", code="other_protocol")
    if compare is None:
        raise Refused(f"{name} does not say how two releases are compared.", code="no_comparison")
    try:
        found = compare(_payloads(first), _payloads(second), frozenset(proximate))
    except ValueError as error:
        raise Refused(f"{error}.", code="bad_proximate", field="proximate") from error
    return {"format": FORMAT, "first": first.name, "second": second.name, **found}


def _payloads(release: Release) -> Iterator[Mapping[str, Any]]:
    return release.instances.order_by("pk").values_list("payload", flat=True).iterator(chunk_size=_CHUNK)
