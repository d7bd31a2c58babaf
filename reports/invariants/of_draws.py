"""Rules about what was drawn: scores weight by the terms of the draw, and graders see answers only."""

from collections.abc import Iterator

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q

from annotation.models import Assignment, CalibrationItem, Campaign, Grade, Item
from benchmark.models import OutputState

_CLOSE = 1e-9  # a quotient of two whole numbers that was stored and read back
_GIVEN_HERE = ~Q(idempotency_key__startswith="import:")
_IMPORTED = Exists(
    Grade.objects.filter(idempotency_key__startswith="import:", assignment__item__campaign=OuterRef("pk"))
)


def only_answers_are_drawn() -> Iterator[str]:
    """Abstentions, refusals and errors are scored by rule and never shown."""
    drawn = Item.objects.filter(output__isnull=False)
    second = Q(second__isnull=False) & ~Q(second__state=OutputState.ANSWERED)
    for item in drawn.filter(~Q(output__state=OutputState.ANSWERED) | second).values_list("id", flat=True):
        yield f"item {item} shows an output that is not an answer"


def drawn_outputs_are_frozen() -> Iterator[str]:
    """What is graded here never changes: the run of every drawn output is frozen before the first grade."""
    loose = Q(output__isnull=False, output__run__frozen_at__isnull=True) | Q(
        second__isnull=False, second__run__frozen_at__isnull=True
    )
    graded = Exists(Grade.objects.filter(_GIVEN_HERE, assignment__item=OuterRef("pk")))
    for item in Item.objects.filter(loose, graded).values_list("id", flat=True):
        yield f"item {item} is graded and its run is not frozen"


def probabilities_follow_from_the_sizes() -> Iterator[str]:
    """An item's inclusion probability is its sample size over the size of its stratum."""
    terms = Item.objects.values_list("id", "sample_size", "stratum_size", "inclusion_probability")
    for item, sample, size, probability in terms.iterator():
        if abs(probability - sample / size) > _CLOSE:
            yield f"item {item} has probability {probability}, {sample} of {size} were drawn"


def strata_hold_their_sample() -> Iterator[str]:
    """The items of a stratum agree on its sizes, and are as many as were drawn; imported labels may lack some."""
    imported = set(Campaign.objects.filter(_IMPORTED).values_list("slug", flat=True))
    strata = (
        Item.objects.order_by()
        .values("campaign__slug", "stratum")
        .annotate(
            n=Count("id"),
            least=Min("sample_size"),
            most=Max("sample_size"),
            smallest=Min("stratum_size"),
            largest=Max("stratum_size"),
        )
    )
    for row in strata.exclude(n=F("least"), least=F("most"), smallest=F("largest")):
        agreed = row["least"] == row["most"] and row["smallest"] == row["largest"]
        if agreed and row["n"] < row["least"] and row["campaign__slug"] in imported:
            continue
        yield (
            f"stratum {row['stratum']!r} of {row['campaign__slug']} holds {row['n']} items and claims "
            f"{row['least']} to {row['most']} of {row['smallest']} to {row['largest']}"
        )


def items_keep_what_is_asked_of_them() -> Iterator[str]:
    """An item's domain is its instance's, and it is marked as revealed when a calibration round showed its answers."""
    shown = Exists(CalibrationItem.objects.filter(item=OuterRef("pk"), round__revealed_at__isnull=False))
    rows = Item.objects.annotate(shown=shown)
    for item in rows.exclude(domain=F("instance__domain"), revealed=F("shown")).values_list("pk", flat=True):
        yield f"item {item} has a different domain from its instance, or is marked wrongly as revealed or not"


def mirrored_places_exchange_the_sides() -> Iterator[str]:
    """A mirrored repeat belongs to a place of the same reviewer on the same pair, with the other side first."""
    other_side = Assignment.objects.filter(
        item=OuterRef("item"), reviewer=OuterRef("reviewer"), repeat=False
    ).exclude(swapped=OuterRef("swapped"))
    for place in Assignment.objects.filter(repeat=True).exclude(Exists(other_side)):
        yield f"assignment {place.pk} repeats no place with the sides exchanged"


DRAWS = (
    only_answers_are_drawn,
    drawn_outputs_are_frozen,
    probabilities_follow_from_the_sizes,
    strata_hold_their_sample,
    items_keep_what_is_asked_of_them,
    mirrored_places_exchange_the_sides,
)
