"""Sources of papers: the text of their archives, what a manifest says about them, and files that wait to be read."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from work.models import Job, LeasedTask, TaskState, lease_constraints


class SourceState(models.TextChoices):
    READABLE = "readable", "Readable"
    UNDECIDED = "undecided", "Somebody must choose its main file"
    UNREADABLE = "unreadable", "Cannot be read"


class Source(models.Model):
    """One version of a paper as its authors wrote it. Its files never change; which of them is the main one may."""

    key = models.CharField(
        max_length=200, help_text="The name of the paper, for example its number on arXiv."
    )
    version = models.CharField(max_length=20, blank=True)
    sha256 = models.CharField(max_length=64, unique=True, help_text="Of the archive's bytes.")
    name = models.CharField(max_length=300, help_text="What the archive was called.")
    form = models.CharField(max_length=20)
    title = models.CharField(max_length=1000, blank=True)
    authors = models.JSONField(default=list)
    year = models.PositiveSmallIntegerField(null=True)
    category = models.CharField(max_length=100, blank=True)
    domain = models.CharField(max_length=100, blank=True)
    licence = models.CharField(max_length=100, blank=True, help_text="SPDX identifier; empty if unknown.")
    state = models.CharField(max_length=20, choices=SourceState)
    code = models.CharField(max_length=40, blank=True)
    sentence = models.TextField(blank=True)
    main = models.CharField(max_length=1000, blank=True)
    candidates = models.JSONField(
        default=list, help_text="Files that may be the main one, with their points, the best first."
    )
    main_chosen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    main_chosen_at = models.DateTimeField(null=True, help_text="Empty if the program chose the main file.")
    program_said = models.JSONField(
        null=True, help_text="Main file, code and sentence of the program, which undoing a choice restores."
    )
    others = models.JSONField(default=list, help_text="Members that are not kept: path and size.")
    notes = models.JSONField(default=list, help_text="What was noted of members: code, path, sentence.")
    added_at = models.DateTimeField(default=timezone.now)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="source_once_per_version"),
            models.CheckConstraint(condition=Q(state__in=SourceState.values), name="source_state"),
            models.CheckConstraint(
                condition=Q(state=SourceState.READABLE, code="") & ~Q(main="")
                | ~Q(state=SourceState.READABLE) & ~Q(code="") & Q(main=""),
                name="source_has_a_main_file_or_a_code",
            ),
            models.CheckConstraint(
                condition=Q(main_chosen_at=None, main_chosen_by=None, program_said=None)
                | Q(main_chosen_at__isnull=False, main_chosen_by__isnull=False, program_said__isnull=False),
                name="source_choice_has_who_and_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}{self.version}"


class SourceArchive(models.Model):
    """The bytes that were submitted, in a table of their own so that no list of sources loads them."""

    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="archive")
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"archive of {self.source_id}"


class SourceFile(models.Model):
    """A text of a source, decoded; offsets of everything found in it count its characters."""

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=1000)
    text = models.TextField()
    sha256 = models.CharField(max_length=64, help_text="Of the text in UTF-8.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "path"], name="source_file_once")]

    def __str__(self) -> str:
        return self.path


class Reading(models.Model):
    """What one version of the outline found in a readable source. Made again when that version changes."""

    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="reading")
    version = models.CharField(max_length=40, help_text="Of the program that made the outline.")
    main = models.CharField(max_length=1000, help_text="The main file that was read.")
    statements = models.PositiveIntegerField()
    proofs = models.PositiveIntegerField()
    paired = models.PositiveIntegerField(help_text="Proofs whose statement was found.")
    citations = models.PositiveIntegerField()
    formulas = models.PositiveIntegerField()
    outline = models.JSONField(help_text="What was found, with places in files.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(paired__lte=models.F("proofs")), name="reading_pairs_proofs_it_has"
            )
        ]

    def __str__(self) -> str:
        return f"reading of {self.source_id}"


class Pairing(models.Model):
    """Which statement a proof proves, as a person says. Undone by deleting it; builds keep what they began with."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="pairings")
    proof_file = models.CharField(max_length=1000)
    proof_start = models.PositiveIntegerField(help_text="Where the proof begins in its file.")
    statement_file = models.CharField(max_length=1000, blank=True, help_text="Empty: it proves no statement.")
    statement_start = models.PositiveIntegerField(default=0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source", "proof_file", "proof_start"], name="proof_paired_by_hand_once"
            ),
            models.CheckConstraint(
                condition=~Q(statement_file="") | Q(statement_start=0),
                name="pairing_with_nothing_has_no_place",
            ),
        ]

    def __str__(self) -> str:
        return f"pairing of {self.proof_file} at {self.proof_start}"


class Identity(models.TextChoices):
    SAME = "same", "The same work"
    DIFFERENT = "different", "Another work"
    ASK = "ask", "Somebody must decide"


class MatchDecision(models.TextChoices):
    SAME = "same", "The same work"
    DIFFERENT = "different", "Another work"
    LATER = "later", "Decide later"


class Publication(models.Model):
    """The published paper that a manifest names for a source, and whether it is the same work.

    The program compares them; where it asks, a person decides. Withdrawing that decision is its undo.
    """

    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="publication")
    title = models.CharField(max_length=1000)
    authors = models.JSONField(default=list)
    year = models.PositiveSmallIntegerField(null=True)
    venue = models.CharField(max_length=500, blank=True)
    doi = models.CharField(max_length=300, blank=True)
    found = models.CharField(max_length=10, choices=Identity)
    reason = models.CharField(max_length=300)
    evidence = models.JSONField(default=list, help_text="What was compared: name and both values.")
    decision = models.CharField(max_length=10, choices=MatchDecision, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(found__in=Identity.values), name="publication_found"),
            models.CheckConstraint(
                condition=Q(decision="") | Q(decision__in=MatchDecision.values, found=Identity.ASK),
                name="publication_decided_where_asked",
            ),
            models.CheckConstraint(
                condition=Q(decision="", decided_by=None, decided_at=None)
                | ~Q(decision="") & Q(decided_by__isnull=False, decided_at__isnull=False),
                name="publication_decision_has_who_and_when",
            ),
        ]

    def __str__(self) -> str:
        return f"publication of {self.source_id}"

    @property
    def identity(self) -> str:
        """ "same", "different" or "ask": what a person decided, else what the program found."""
        return self.found if self.decision in ("", MatchDecision.LATER) else self.decision


class SourceUpload(Job):
    """Archives that somebody uploaded: first read as a dry run, then added as sources when they say so."""

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    adding = models.BooleanField(default=False, help_text="Whether its papers are added, or only looked at.")
    manifest = models.JSONField(default=list, help_text="The rows of the manifest.")

    def __str__(self) -> str:
        return f"upload {self.pk}"


class Outcome(models.TextChoices):
    NEW = "new", "New"
    ADDED = "added", "Added"
    THERE = "there", "Already there"
    REFUSED = "refused", "Refused"
    UNPACKED = "unpacked", "An archive of archives"


class UploadedArchive(LeasedTask):
    """One file of an upload: an archive, or an archive of archives, which becomes further rows."""

    run = models.ForeignKey(SourceUpload, on_delete=models.CASCADE, related_name="archives")
    name = models.CharField(max_length=300)
    handle = models.CharField(
        max_length=64, help_text="Of the stored file; empty when it is gone.", blank=True
    )
    size = models.PositiveBigIntegerField()
    inner = models.BooleanField(default=False, help_text="Whether it came in an archive of archives.")
    key = models.CharField(max_length=200, blank=True)
    version = models.CharField(max_length=20, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    source = models.ForeignKey(Source, null=True, on_delete=models.SET_NULL, related_name="+")
    code = models.CharField(max_length=40, blank=True)
    sentence = models.TextField(blank=True)
    found = models.JSONField(
        default=dict, help_text="Form, main file and counts, for the table of a dry run."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "name"], name="uploaded_archive_once"),
            models.CheckConstraint(
                condition=Q(outcome="") | Q(state=TaskState.DONE),
                name="uploaded_archive_done_if_it_has_an_outcome",
            ),
            *lease_constraints("uploaded_archive"),
        ]
        indexes = [
            models.Index(fields=["state", "available_at"], name="uploaded_archive_queue"),
            models.Index(fields=["run", "state", "id"], name="uploaded_archive_of_run"),
        ]

    def __str__(self) -> str:
        return self.name
