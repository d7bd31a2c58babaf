"""Files attached to instances and outputs."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmark.models.releases import Instance
from benchmark.models.runs import Output


class FileKind(models.TextChoices):
    PDF = "pdf", "PDF"
    IMAGE = "image", "Image"


class CleanCopy(models.Model):
    """What readers get of an uploaded file: a PDF, or an image as WebP, made by the child process. Kept by its hash.

    `pages`: [width, height] of each, and of a PDF the edges of its box. `words`: the text of each page as a machine
    reads it, `kept`: other words that the copy has; the identity scan reads both.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=10, choices=FileKind.choices)
    data = models.BinaryField()
    pages = models.JSONField()
    words = models.JSONField(default=list)
    kept = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=FileKind.values), name="clean_copy_kind_is_known")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256[:12]}"


class Attachment(models.Model):
    """A file that belongs to an output or an instance; `number` counts them from 1. Frozen with what it belongs to.

    `shown_as`: of a picture, what the text calls it where it shows it, if it does. That is from the text, not the file.
    """

    output = models.ForeignKey(Output, on_delete=models.PROTECT, null=True, related_name="attachments")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, null=True, related_name="attachments")
    number = models.PositiveSmallIntegerField()
    copy = models.ForeignKey(CleanCopy, on_delete=models.PROTECT, related_name="attachments")
    shown_as = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(output=None) ^ Q(instance=None), name="attachment_has_one_subject"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="attachments_count_from_one"),
            models.UniqueConstraint(fields=["output", "number"], name="attachment_once_per_output"),
            models.UniqueConstraint(fields=["instance", "number"], name="attachment_once_per_instance"),
        ]

    def __str__(self) -> str:
        return f"attachment {self.pk}"


class OriginalFile(models.Model):
    """The bytes and the name of an attachment as they were sent: for the study's staff only.

    `dropped` are words of the upload that the copy does not have. Blinded requests cannot read this table.
    """

    attachment = models.OneToOneField(Attachment, on_delete=models.CASCADE, related_name="original")
    name = models.CharField(max_length=500)
    sha256 = models.CharField(max_length=64)
    data = models.BinaryField()
    dropped = models.JSONField(default=list)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(name=""), name="original_file_has_a_name")]

    def __str__(self) -> str:
        return self.name
