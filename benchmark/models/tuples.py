"""What a published comparison holds fixed, and which runs were made and scored under it."""

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Length
from django.db.models.lookups import Exact
from django.utils import timezone

STORABLE = ("retrieval", "materialisation", "scoring")  # the entries of a tuple that may come with a file


class TupleFile(models.Model):
    """A file of frozen tuples, stored once however many of them have it. Its bytes are in `parts`.

    `name` is what it was called when it first came.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField()
    name = models.CharField(max_length=255)

    class Meta:
        constraints = [
            # Both databases trim any of these characters from both ends; a regular expression would need a function
            # that SQLite has only where Django opened it.
            models.CheckConstraint(
                condition=Exact(Length("sha256"), 64)
                & Exact(Func(F("sha256"), Value("0123456789abcdef"), function="TRIM"), ""),
                name="tuple_file_hash_is_hexadecimal",
            ),
            models.CheckConstraint(condition=Q(size__gte=1), name="tuple_file_is_not_empty"),
            models.CheckConstraint(condition=~Q(name=""), name="tuple_file_has_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.sha256[:12]}"


class TupleFilePart(models.Model):
    """Consecutive bytes of a file; `number` counts the parts from 1. A guard refuses more bytes than the size."""

    file = models.ForeignKey(TupleFile, on_delete=models.PROTECT, related_name="parts")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "number"], name="tuple_file_part_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="tuple_file_parts_count_from_one"),
        ]

    def __str__(self) -> str:
        return f"part {self.number} of {self.file_id}"


class FrozenTuple(models.Model):
    """Everything besides the systems that a comparison fixes: release, split, what was retrieved and could be
    read, how it was scored, and when. Immutable; a changed entry makes a new tuple.

    `retrieval`, `materialisation` and `scoring` name the artifact or log; its file is stored with it, or it is only
    named.
    """

    release = models.ForeignKey("benchmark.Release", on_delete=models.PROTECT, related_name="tuples")
    name = models.SlugField(max_length=100)
    split = models.CharField(max_length=100)
    retrieval = models.CharField("retrieval artifact", max_length=500)
    materialisation = models.CharField("materialisation log", max_length=500)
    scoring = models.CharField("scoring artifact", max_length=500)
    retrieval_file = models.ForeignKey(
        TupleFile, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    materialisation_file = models.ForeignKey(
        TupleFile, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    scoring_file = models.ForeignKey(
        TupleFile, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    evaluated_on = models.DateField("date of the evaluation")
    declared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    declared_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "name"], name="tuple_once_per_release"),
            models.CheckConstraint(
                condition=~(
                    Q(name="") | Q(split="") | Q(retrieval="") | Q(materialisation="") | Q(scoring="")
                ),
                name="tuple_says_everything",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def files(self) -> dict[str, TupleFile | None]:
        """The stored file of each entry that may have one; None where it is only named."""
        return {entry: getattr(self, f"{entry}_file") for entry in STORABLE}


class TupledRun(models.Model):
    """A run's membership in a frozen tuple; it never moves to another one."""

    run = models.OneToOneField("benchmark.Run", on_delete=models.PROTECT, related_name="tupled")
    tuple = models.ForeignKey(FrozenTuple, on_delete=models.PROTECT, related_name="runs")

    def __str__(self) -> str:
        return f"run {self.run_id} in {self.tuple_id}"
