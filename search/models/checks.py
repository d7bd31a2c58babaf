"""Checks of a release against a corpus: which of its texts are published there already."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from search.models.corpora import Corpus, Statement


class CheckState(models.TextChoices):
    """How far a check is."""

    WAITING = "waiting", "Waiting for a worker"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class ReleaseCheck(models.Model):
    """One comparison of a release's texts with a corpus as it was then, named by the hash of its statements."""

    release = models.ForeignKey("benchmark.Release", on_delete=models.PROTECT, related_name="corpus_checks")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="checks")
    state = models.CharField(max_length=10, choices=CheckState, default=CheckState.WAITING)
    corpus_sha256 = models.CharField(max_length=64, blank=True)
    problem = models.TextField(blank=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    asked_at = models.DateTimeField(default=timezone.now)
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "corpus"],
                condition=Q(state__in=[CheckState.WAITING, CheckState.RUNNING]),
                name="one_check_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state=CheckState.DONE, done_at__isnull=False) & ~Q(corpus_sha256="")
                | ~Q(state=CheckState.DONE) & Q(done_at=None),
                name="check_done_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(state=CheckState.FAILED) & ~Q(problem="")
                | ~Q(state=CheckState.FAILED) & Q(problem=""),
                name="failed_check_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_id} in {self.corpus_id}"


class Kind(models.TextChoices):
    """How alike a text of a release and a statement are."""

    IDENTICAL = "identical", "Identical"
    NEAR = "near", "Nearly the same"
    RELATED = "related", "Related"


class Decision(models.TextChoices):
    """What a person decided about a finding."""

    OPEN = "", "Not decided"
    LEAK = "leak", "A leak"
    DUPLICATE = "duplicate", "The same statement, no leak"
    HARMLESS = "harmless", "Something else"


class Finding(models.Model):
    """A text of a problem and the statement that is like it; `permille` is the share of common runs of words.

    What was found never changes. What was decided does, and the audit trail keeps each decision.
    """

    check_of = models.ForeignKey(ReleaseCheck, on_delete=models.CASCADE, related_name="findings")
    instance = models.ForeignKey("benchmark.Instance", on_delete=models.PROTECT, related_name="+")
    field = models.CharField(max_length=200)
    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    permille = models.PositiveSmallIntegerField()
    decision = models.CharField(max_length=10, choices=Decision, default=Decision.OPEN, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["check_of", "instance", "field", "statement"], name="finding_once_per_check"
            ),
            models.CheckConstraint(condition=Q(permille__lte=1000), name="finding_permille_to_1000"),
            models.CheckConstraint(
                condition=Q(decision="", decided_at=None, decided_by=None)
                | ~Q(decision="") & Q(decided_at__isnull=False),
                name="finding_decided_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.instance_id} {self.field}"
