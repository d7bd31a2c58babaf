"""Releases with their papers and instances."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Benchmark(models.Model):
    """A benchmark; its protocol is a folder below benchmark/protocols."""

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    protocol = models.CharField(max_length=50)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(protocol=""), name="benchmark_names_its_protocol")]

    def __str__(self) -> str:
        return self.name


class Release(models.Model):
    """A versioned set of instances. `sha256` is over the canonical content, not over the file's bytes."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="releases")
    name = models.SlugField(max_length=100, unique=True)
    sha256 = models.CharField(max_length=64)
    source = models.CharField(max_length=500, blank=True)
    is_sample = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    frozen_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class ReleaseDescription(models.Model):
    """What a reader needs to know to use and cite a release.

    Not part of its content, so that of a frozen release may be corrected; every change is in the audit trail.
    """

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="description")
    licence = models.CharField(max_length=200)
    creators = models.CharField(max_length=1000)
    citation = models.TextField(blank=True)
    homepage = models.URLField(max_length=500, blank=True)
    version = models.CharField(max_length=50, default="1.0.0")
    published_on = models.DateField()
    answers_public_at = models.URLField(
        max_length=500,
        blank=True,
        help_text="Where anybody can read the answers with their systems, now or after an embargo.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(licence=""), name="described_release_has_a_licence"),
            models.CheckConstraint(condition=~Q(creators=""), name="described_release_has_creators"),
            models.CheckConstraint(condition=~Q(version=""), name="described_release_has_a_version"),
        ]

    def __str__(self) -> str:
        return f"description of release {self.release_id}"


class Paper(models.Model):
    """The paper an instance was drawn from: the cluster of every interval."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="papers")
    key = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    identifiers = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "key"], name="paper_once_per_release")]

    def __str__(self) -> str:
        return self.key


class Instance(models.Model):
    """One problem of a release; the payload is parsed by its protocol's schema on the way in and out."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="instances")
    key = models.CharField(max_length=200)
    paper = models.ForeignKey(
        Paper, on_delete=models.PROTECT, null=True, blank=True, related_name="instances"
    )
    domain = models.CharField(max_length=100)
    split = models.CharField(max_length=50, blank=True)
    payload = models.JSONField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "key"], name="instance_once_per_release"),
            models.CheckConstraint(condition=~Q(key=""), name="instance_has_a_key"),
        ]
        indexes = [models.Index(fields=["release", "domain"], name="instance_by_domain")]

    def __str__(self) -> str:
        return self.key
