"""Indexes: files made from a corpus by a recipe, named by the hash of their manifest."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from search.models.corpora import Corpus


class IndexState(models.TextChoices):
    """How far an index is; only a ready one is searched."""

    WAITING = "waiting", "Waiting for a worker"
    BUILDING = "building", "Building"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"
    RETIRED = "retired", "Retired"


class Index(models.Model):
    """An index and what it was made of. `digest` is the hash of its manifest, `corpus_sha256` that of its statements.

    Equal statements and recipes give equal digests, so an index can be lost and made again.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="indexes")
    recipe = models.JSONField()
    state = models.CharField(max_length=10, choices=IndexState, default=IndexState.BUILDING)
    corpus_sha256 = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    n_statements = models.PositiveIntegerField(default=0)
    problem = models.TextField(blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    built_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[IndexState.READY, IndexState.RETIRED], built_at__isnull=False)
                & ~Q(digest="")
                & ~Q(corpus_sha256="")
                | Q(
                    state__in=[IndexState.WAITING, IndexState.BUILDING, IndexState.FAILED],
                    digest="",
                    built_at=None,
                ),
                name="built_index_has_a_digest",
            ),
            models.CheckConstraint(
                condition=Q(state=IndexState.FAILED) & ~Q(problem="")
                | ~Q(state=IndexState.FAILED) & Q(problem=""),
                name="failed_index_says_why",
            ),
            models.UniqueConstraint(
                fields=["corpus"],
                condition=Q(state__in=[IndexState.WAITING, IndexState.BUILDING]),
                name="one_build_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["corpus", "digest"], condition=~Q(digest=""), name="index_once_per_corpus"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recipe_name} {self.digest[:12] or self.state}"

    @property
    def recipe_name(self) -> str:
        """The name of the recipe, such as "words"."""
        return str(self.recipe["name"])
