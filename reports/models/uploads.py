"""Label files that somebody analyses for themselves."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone


class UploadState(models.TextChoices):
    READY = "ready", "Ready"
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    REFUSED = "refused", "Refused"


class LabelUpload(models.Model):
    """Somebody's own label file on its way through one analysis: private, short-lived, no part of any study.

    The file lies in the upload folder under `handle`. `asked` is the request, `document` the answer as the
    command prints it with --json, `refusal` the reason why there is none.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="label_uploads"
    )
    handle = models.CharField(max_length=43, unique=True)
    file_name = models.CharField(max_length=255)
    form = models.CharField(max_length=5, choices=[("csv", "CSV"), ("jsonl", "JSONL")])
    size = models.PositiveBigIntegerField()
    state = models.CharField(max_length=10, choices=UploadState.choices, default=UploadState.READY)
    asked = models.JSONField(default=dict)
    document = models.TextField(blank=True)
    refusal = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state=UploadState.DONE) ^ Q(document=""), name="upload_done_with_its_document"
            ),
            models.CheckConstraint(
                condition=Q(state=UploadState.REFUSED) ^ Q(refusal=""), name="upload_refused_with_its_reason"
            ),
            models.CheckConstraint(
                condition=~Q(state=UploadState.RUNNING) | Q(started_at__isnull=False),
                name="upload_running_since",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="upload_expires_after_it_came"
            ),
        ]

    def __str__(self) -> str:
        return self.file_name

    @property
    def is_busy(self) -> bool:
        return self.state in (UploadState.WAITING, UploadState.RUNNING)
