"""Instances that another one was made from, as the protocol declares: the original of a variant, and its variants."""

from dataclasses import dataclass

from benchmark.models import Instance
from benchmark.protocols import get_protocol


@dataclass(frozen=True)
class Related:
    """An instance of the same release, and its relation to the one shown ("random variant", "original")."""

    key: str
    relation: str


def related_instances(instance: Instance) -> list[Related]:
    """The original of a variant, then the variants of one original, the instance itself left out.

    Takes one query, over the instances of the same paper; none where the protocol has no variants. Load the
    instance with its release and benchmark.
    """
    variant_of = get_protocol(instance.release.benchmark.protocol).variant_of
    if variant_of is None:
        return []
    own = variant_of(instance.payload)
    original = own.original if own else instance.key
    siblings = Instance.objects.filter(release=instance.release_id, paper=instance.paper_id)
    rows = siblings.order_by("pk").values_list("key", "payload")
    variants = [
        (key, found.kind)
        for key, payload in rows
        if (found := variant_of(payload)) and found.original == original
    ]
    return [
        *([Related(original, "original")] if own else []),
        *(Related(key, f"{kind} variant") for key, kind in variants if key != instance.key),
    ]
