"""What reviewers call the proofs of one problem: Proof P, Proof Q and so on, in the order in which they got them.

The letters are each reviewer's own and never change. They begin with P because A to D would read like systems.
"""

from collections import Counter
from collections.abc import Iterable

from accounts.models import User
from annotation.models import Assignment

LETTERS = "PQRSTUVWXYZ"


def proof_names(reviewer: User, places: Iterable[Assignment]) -> dict[int, str]:
    """Names by place; those of instances have none. Places that were given up keep theirs, so that no other moves."""
    problems = {place.item.instance_id for place in places}
    held = Assignment.objects.filter(
        reviewer=reviewer, item__instance__in=problems, item__output__isnull=False
    )
    rows = held.order_by("pk").values_list("pk", "item__campaign", "item__instance", "item__second")
    seen: Counter[tuple[int, int]] = Counter()
    names = {}
    for place, campaign, instance, second in rows:
        number = seen[campaign, instance]
        seen[campaign, instance] += 1
        letter = LETTERS[number % len(LETTERS)] + (
            str(number // len(LETTERS) + 1) if number >= len(LETTERS) else ""
        )
        names[place] = f"{'Pair' if second else 'Proof'} {letter}"
    return names
