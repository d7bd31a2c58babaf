"""Flags that a protocol's rules put on outputs at their import."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class ProtocolFlag(models.Model):
    """A breach of the protocol's rules that shows in the payloads: certain, or for a person to look at.

    It changes no score. Immutable, because what it follows from is.
    """

    output = models.ForeignKey("benchmark.Output", on_delete=models.CASCADE, related_name="protocol_flags")
    kind = models.CharField(max_length=50)
    certain = models.BooleanField()
    reason = models.TextField()
    found_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["output", "kind"], name="protocol_flag_once_per_kind"),
            models.CheckConstraint(
                condition=~(Q(kind="") | Q(reason="")), name="protocol_flag_says_what_and_why"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on output {self.output_id}"
