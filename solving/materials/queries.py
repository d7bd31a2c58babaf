"""Reading knowledge banks and block lists: what came of them in runs."""

from collections import Counter

from solving.models import Material, Step
from work.models import TaskState


def hits_of(material: Material) -> Counter[str]:
    """How often runs were shown each entry of a bank, by key, or each rule of a block list kept a source away."""
    used = Step.objects.filter(kind=Step.Kind.TOOL, state=TaskState.DONE)
    if material.kind == Material.Kind.BANK:
        entries = used.filter(run__bank=material, name="knowledge").values_list("reply__entries", flat=True)
        return Counter(entry["key"] for shown in entries.iterator() for entry in shown or ())
    hits: Counter[str] = Counter()
    told = used.filter(run__blocked=material).values_list("reply__blocked", "reply__rule")
    for results, rule in told.iterator():
        hits.update(result["rule"] for result in results or ())
        hits.update([rule] if rule else [])
    return hits
