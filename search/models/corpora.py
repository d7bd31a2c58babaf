"""Corpora: published statements that can be searched, with where they are from and under which licence."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Visibility(models.TextChoices):
    """Who may search a corpus."""

    STAFF = "staff", "Coordinators and owners"
    MEMBERS = "members", "Everybody who is signed in"
    ANYONE = "anyone", "Anybody, without signing in"


class Corpus(models.Model):
    """A collection of statements. A frozen one never changes again; `sha256` is then the hash of its lines.

    A corpus that is bound to a release holds what the release's systems were given, or what its problems rest on:
    it is for the staff alone, so that nobody who grades the release finds a reference in it.
    """

    slug = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=300)
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.MEMBERS)
    release = models.ForeignKey(
        "benchmark.Release", null=True, on_delete=models.PROTECT, related_name="corpora"
    )
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    frozen_at = models.DateTimeField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(frozen_at=None, sha256="") | Q(frozen_at__isnull=False) & ~Q(sha256=""),
                name="corpus_frozen_with_hash",
            ),
            models.CheckConstraint(
                condition=Q(release=None) | Q(visibility=Visibility.STAFF), name="bound_corpus_is_for_staff"
            ),
            models.CheckConstraint(condition=Q(visibility__in=Visibility.values), name="corpus_visibility"),
        ]

    def __str__(self) -> str:
        return self.title


class Source(models.Model):
    """Where statements of a corpus are from: a book, a site, a repository at a commit."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="sources")
    name = models.CharField(max_length=200)
    url = models.CharField(max_length=1000, blank=True)
    version = models.CharField(max_length=200, blank=True)
    licence = models.CharField(max_length=100, blank=True, help_text="SPDX identifier; empty if unstated.")
    attribution = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "name"], name="source_once_per_corpus")]

    def __str__(self) -> str:
        return self.name


class Document(models.Model):
    """A paper, chapter or page of a source. An unknown year or number of citations is null, never zero."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="documents")
    key = models.CharField(max_length=200)
    title = models.CharField(max_length=1000, blank=True)
    authors = models.JSONField(default=list)
    year = models.PositiveSmallIntegerField(null=True)
    categories = models.JSONField(default=list)
    citations = models.PositiveIntegerField(null=True)
    abstract = models.TextField(null=True)
    introduction = models.TextField(null=True, help_text="The beginning of its first section.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "key"], name="document_once_per_corpus")]

    def __str__(self) -> str:
        return self.key


class Statement(models.Model):
    """A definition, lemma or theorem as its authors wrote it, in LaTeX. It never changes.

    `sha256` is the hash of everything that a line of the corpus's file says, so that a statement which is imported
    again is recognised.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="statements")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="statements")
    key = models.CharField(max_length=200)
    section = models.CharField(max_length=1000, blank=True)
    kind = models.CharField(max_length=50, blank=True)
    number = models.CharField(max_length=50, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    label = models.CharField(max_length=300, blank=True)
    body = models.TextField()
    url = models.CharField(max_length=1000, blank=True)
    licence = models.CharField(max_length=100, blank=True, help_text="Where it differs from the source's.")
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "key"], name="statement_once_per_corpus"),
            models.CheckConstraint(condition=~Q(body=""), name="statement_says_something"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def name(self) -> str:
        """ "Theorem 4.2 (Compactness)", as far as it is known; otherwise the key."""
        named = " ".join(part for part in (self.kind.capitalize(), self.number) if part)
        if self.note:
            named = f"{named} ({self.note})" if named else self.note
        return named or self.key
