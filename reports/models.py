"""The rows of reports: frozen artifacts and their public records, kept scores, exclusion rules, the chain of history,
printed reports, uploaded label files."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.models import Campaign
from benchmark.models import Release


class Artifact(models.Model):
    """Canonical JSON of everything a score depends on, with its hash; append-only."""

    kind = models.CharField(max_length=50)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="artifacts")
    content = models.TextField()
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.sha256


class PublicRecord(models.Model):
    """One version of a public record. Nothing of it changes, except that it can be withdrawn once, with a reason.

    `declared` is what its owner said and chose (reports/records/declared.py). The files that readers get follow from
    it, the artifact and the frozen texts; `archive_sha256` is the hash of the archive with all of them.
    """

    name = models.SlugField(max_length=100)
    version = models.PositiveIntegerField()
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="records")
    declared = models.JSONField()
    archive_sha256 = models.CharField(max_length=64)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    published_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="record_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="record_versions_from_one"),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None, withdrawn_reason="")
                | Q(withdrawn_at__isnull=False) & ~Q(withdrawn_reason=""),
                name="record_withdrawn_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class KeptScore(models.Model):
    """The score document of a track as it was computed last; `basis` is the hash of its inputs and of the code."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    choice = models.CharField(
        max_length=2000, help_text="Track, condition, judge and tuple, as a query string."
    )
    basis = models.CharField(max_length=64)
    content = models.TextField(help_text="JSON whose keys are in the order of the document.")
    kept_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "choice"], name="score_kept_once_by_choice"),
        ]

    def __str__(self) -> str:
        return f"{self.release_id}: {self.choice}"


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


class HistoryLink(models.Model):
    """One sealed row: its hash, and the hash of the chain up to here. Append-only, held by a guard."""

    position = models.PositiveBigIntegerField(unique=True)
    kind = models.CharField(max_length=20)
    version = models.PositiveSmallIntegerField(help_text="Which columns were hashed.")
    row = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    chain = models.CharField(max_length=64)
    sealed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "row"], name="history_row_sealed_once"),
            models.CheckConstraint(condition=Q(position__gte=1), name="history_position_from_one"),
        ]

    def __str__(self) -> str:
        return f"link {self.position}"


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
