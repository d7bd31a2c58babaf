"""Rows of declared exclusion rules."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmark.models import Release


class ExclusionRule(models.Model):
    """A named rule by which instances are left out of a release's scores. Never changed, never deleted.

    `late` says that results of the release could be read when the rule was declared. Until 27 November 2026 only an
    unblinding made a rule late.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="exclusion_rules")
    name = models.SlugField(max_length=100)
    grounds = models.JSONField()
    at_least = models.PositiveSmallIntegerField()
    primary = models.BooleanField(default=False)
    late = models.BooleanField(default=False)
    reason = models.TextField()
    declared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    declared_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "name"], name="exclusion_rule_once_by_name"),
            models.UniqueConstraint(
                fields=["release"], condition=Q(primary=True), name="exclusion_rule_one_primary"
            ),
            models.CheckConstraint(
                condition=Q(at_least__range=(1, 25)), name="exclusion_rule_at_least_1_to_25"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="exclusion_rule_says_why"),
        ]

    def __str__(self) -> str:
        return self.name
