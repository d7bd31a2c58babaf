"""The row of an uploaded release or outputs file between its dry run and its import."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone


class ImportKind(models.TextChoices):
    RELEASE = "release", "Release"
    OUTPUTS = "outputs", "Outputs"
    FILES = "files", "Folder or table"
    LABELS = "labels", "Labels or reports"


class ImportState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    RECOGNISED = "recognised", "Waiting for its mapping"
    CHECKED = "checked", "Checked"
    APPLIED = "applied", "Imported"
    REFUSED = "refused", "Refused"


class ImportUpload(models.Model):
    """A file being imported into the study. It is stored in the folder of uploads under `handle` for a short time.

    `terms` are the other arguments of the action, with the mapping of a folder or table; `applying` tells the import
    from the dry run before it. `recognised` is what a folder or table consists of,
    `report` is what the dry run found or the import did, `faults` every problem as {file, line, field, reason},
    `basis` the fingerprint of what was there when the dry run looked.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="imports")
    handle = models.CharField(max_length=43, unique=True)
    kind = models.CharField(max_length=10, choices=ImportKind.choices)
    file_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    terms = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=ImportState.choices, default=ImportState.WAITING)
    applying = models.BooleanField(default=False)
    recognised = models.JSONField(default=dict, blank=True)
    report = models.JSONField(default=dict)
    faults = models.JSONField(default=list)
    refusal = models.TextField(blank=True)
    basis = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    started_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=ImportKind.values), name="import_kind_is_known"),
            models.CheckConstraint(condition=Q(state__in=ImportState.values), name="import_state_is_known"),
            models.CheckConstraint(
                condition=Q(state=ImportState.REFUSED) ^ Q(refusal=""), name="import_refused_with_its_reason"
            ),
            models.CheckConstraint(
                condition=~Q(state=ImportState.RUNNING) | Q(started_at__isnull=False),
                name="import_running_since",
            ),
            models.CheckConstraint(
                condition=~Q(state=ImportState.CHECKED) | Q(applying=False), name="import_checked_before_it"
            ),
            models.CheckConstraint(
                condition=~Q(state=ImportState.APPLIED) | Q(applying=True), name="import_applied_after_it"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="import_expires_after_it_came"
            ),
        ]

    def __str__(self) -> str:
        return self.file_name

    @property
    def is_busy(self) -> bool:
        return self.state in (ImportState.WAITING, ImportState.RUNNING)
