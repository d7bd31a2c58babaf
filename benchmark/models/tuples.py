"""What a published comparison holds fixed, and which runs were made and scored under it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class FrozenTuple(models.Model):
    """Everything besides the systems that a comparison fixes: release, split, what was retrieved and could be
    read, how it was scored, and when. Immutable; a changed entry makes a new tuple.

    `retrieval`, `materialisation` and `scoring` name the artifact or log, preferably with its hash.
    """

    release = models.ForeignKey("benchmark.Release", on_delete=models.PROTECT, related_name="tuples")
    name = models.SlugField(max_length=100)
    split = models.CharField(max_length=100)
    retrieval = models.CharField("retrieval artifact", max_length=500)
    materialisation = models.CharField("materialisation log", max_length=500)
    scoring = models.CharField("scoring artifact", max_length=500)
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


class TupledRun(models.Model):
    """A run's membership in a frozen tuple; it never moves to another one."""

    run = models.OneToOneField("benchmark.Run", on_delete=models.PROTECT, related_name="tupled")
    tuple = models.ForeignKey(FrozenTuple, on_delete=models.PROTECT, related_name="runs")

    def __str__(self) -> str:
        return f"run {self.run_id} in {self.tuple_id}"
