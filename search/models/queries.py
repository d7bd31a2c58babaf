"""What was searched for: personal data, kept for 30 days, and what people said about the results."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from search.models.corpora import Corpus, Statement
from search.models.indexes import Index


class Purpose(models.TextChoices):
    """Where somebody searched."""

    PAGE = "page", "Search page"
    PANEL = "panel", "Grading page"
    REST = "rest", "REST"
    MCP = "mcp", "MCP"


class Query(models.Model):
    """One search. `user` is null for strangers. Nobody but the person reads it, and it is deleted after 30 days."""

    index = models.ForeignKey(Index, on_delete=models.CASCADE, related_name="queries")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="searches"
    )
    purpose = models.CharField(max_length=10, choices=Purpose)
    text = models.TextField(blank=True)
    formula = models.TextField(blank=True)
    mode = models.CharField(max_length=10)
    filters = models.JSONField(default=dict)
    n_results = models.PositiveSmallIntegerField()
    asked_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text="", formula=""), name="query_asks_something"),
            models.CheckConstraint(condition=Q(purpose__in=Purpose.values), name="query_purpose"),
        ]

    def __str__(self) -> str:
        return f"search {self.pk}"


class SearchesOfADay(models.Model):
    """How many searches a corpus had on a day: what is left of queries after 30 days."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    purpose = models.CharField(max_length=10, choices=Purpose)
    searches = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "day", "purpose"], name="searches_of_a_day_once")
        ]

    def __str__(self) -> str:
        return f"{self.searches} on {self.day}"


class Reason(models.TextChoices):
    """What is wrong with a result."""

    SLOGAN = "slogan", "The summary says something else"
    LATEX = "latex", "The LaTeX is broken"
    KIND = "kind", "It is of another kind"
    OTHER = "other", "Something else"


class Feedback(models.Model):
    """What a person said about a result: 1 relevant, -1 not relevant, 0 neither. The newest of a person counts."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="search_feedback"
    )
    statement = models.ForeignKey(Statement, on_delete=models.CASCADE, related_name="feedback")
    query = models.ForeignKey(Query, null=True, on_delete=models.SET_NULL, related_name="feedback")
    value = models.SmallIntegerField()
    reason = models.CharField(max_length=10, choices=Reason, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    said_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(value__in=[-1, 0, 1]), name="feedback_is_a_vote"),
            models.CheckConstraint(condition=Q(reason="") | Q(value=-1), name="feedback_reason_is_against"),
        ]

    def __str__(self) -> str:
        return f"{self.value:+d} for {self.statement_id}"
