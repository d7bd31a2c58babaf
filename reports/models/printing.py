"""Reports that a worker prints."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.models import Campaign
from benchmark.models import Release


class ReportState(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class ReportPer(models.TextChoices):
    """For what a report has a file of its own; without one it is a single file."""

    SUBMISSION = "submission", "One file for each submission"
    REFEREE = "referee", "One file for each referee"


class ReportJob(models.Model):
    """A report that somebody asked for. Claimed by a conditional update; a lease that runs out returns it.

    `file` is a name in the folder of reports, never an address; after `expires_at` the file is removed and the
    row stays. `done` of `total` items are printed. `condition` and `frozen_tuple` are names as a request gives them.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="report_jobs")
    campaign = models.ForeignKey(
        Campaign, on_delete=models.PROTECT, null=True, blank=True, related_name="report_jobs"
    )
    track = models.CharField(max_length=50, blank=True)
    condition = models.CharField(max_length=50, blank=True)
    judge = models.CharField(max_length=200, blank=True)
    frozen_tuple = models.CharField(max_length=100, blank=True)
    score = models.BooleanField(default=True)
    items = models.BooleanField(default=False)
    identities = models.BooleanField(default=False)
    per = models.CharField(max_length=20, choices=ReportPer.choices, blank=True, db_default="")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=20, choices=ReportState.choices, default=ReportState.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True)
    file = models.CharField(max_length=100, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    pages = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ReportState.values), name="report_state_is_known"),
            models.CheckConstraint(condition=Q(score=True) | Q(items=True), name="report_holds_something"),
            models.CheckConstraint(
                condition=Q(per="") | Q(per__in=ReportPer.values, items=True, score=False),
                name="report_per_something_has_items_alone",
            ),
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="report_done_within_total"),
            models.CheckConstraint(
                condition=(Q(state=ReportState.RUNNING) & ~Q(lease_owner="") & Q(lease_until__isnull=False))
                | (~Q(state=ReportState.RUNNING) & Q(lease_owner="") & Q(lease_until__isnull=True)),
                name="report_leased_iff_running",
            ),
            models.CheckConstraint(
                condition=(Q(state=ReportState.DONE) & ~Q(sha256="") & Q(expires_at__isnull=False))
                | (~Q(state=ReportState.DONE) & Q(sha256="", file="", expires_at__isnull=True)),
                name="report_has_a_file_iff_done",
            ),
            models.CheckConstraint(
                condition=(Q(state=ReportState.FAILED) & ~Q(error=""))
                | (~Q(state=ReportState.FAILED) & Q(error="")),
                name="report_failed_says_why",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="report_queue")]

    def __str__(self) -> str:
        return f"report {self.pk}"
