"""The rows of search: corpora with their statements, indexes over them, what was searched for, checks and slogans."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from work.models import Call, LeasedTask, PricedJob, RunState, lease_constraints


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


class IndexState(models.TextChoices):
    """How far an index is; only a ready one is searched."""

    WAITING = "waiting", "Waiting for a worker"
    BUILDING = "building", "Building"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"
    RETIRED = "retired", "Retired"


class Index(models.Model):
    """An index and what it was made of. `digest` is the hash of its manifest, `corpus_sha256` that of its statements.

    Equal statements and recipes give equal digests, so an index can be lost and made again.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="indexes")
    recipe = models.JSONField()
    state = models.CharField(max_length=10, choices=IndexState, default=IndexState.BUILDING)
    corpus_sha256 = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    n_statements = models.PositiveIntegerField(default=0)
    problem = models.TextField(blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    built_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[IndexState.READY, IndexState.RETIRED], built_at__isnull=False)
                & ~Q(digest="")
                & ~Q(corpus_sha256="")
                | Q(
                    state__in=[IndexState.WAITING, IndexState.BUILDING, IndexState.FAILED],
                    digest="",
                    built_at=None,
                ),
                name="built_index_has_a_digest",
            ),
            models.CheckConstraint(
                condition=Q(state=IndexState.FAILED) & ~Q(problem="")
                | ~Q(state=IndexState.FAILED) & Q(problem=""),
                name="failed_index_says_why",
            ),
            models.UniqueConstraint(
                fields=["corpus"],
                condition=Q(state__in=[IndexState.WAITING, IndexState.BUILDING]),
                name="one_build_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["corpus", "digest"], condition=~Q(digest=""), name="index_once_per_corpus"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recipe_name} {self.digest[:12] or self.state}"

    @property
    def recipe_name(self) -> str:
        """The name of the recipe, such as "words"."""
        return str(self.recipe["name"])


class Purpose(models.TextChoices):
    """Where somebody searched."""

    PAGE = "page", "Search page"
    PANEL = "panel", "Grading page"
    REST = "rest", "REST"
    MCP = "mcp", "MCP"


class Query(models.Model):
    """One search. `user` is null for strangers. Nobody but the person reads it, and it is deleted after 30 days."""

    index = models.ForeignKey(Index, on_delete=models.CASCADE, related_name="queries")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="searches"
    )
    purpose = models.CharField(max_length=10, choices=Purpose)
    text = models.TextField(blank=True)
    formula = models.TextField(blank=True)
    mode = models.CharField(max_length=10)
    filters = models.JSONField(default=dict)
    n_results = models.PositiveSmallIntegerField()
    asked_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text="", formula=""), name="query_asks_something"),
            models.CheckConstraint(condition=Q(purpose__in=Purpose.values), name="query_purpose"),
        ]

    def __str__(self) -> str:
        return f"search {self.pk}"


class SearchesOfADay(models.Model):
    """How many searches a corpus had on a day: what is left of queries after 30 days."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    purpose = models.CharField(max_length=10, choices=Purpose)
    searches = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "day", "purpose"], name="searches_of_a_day_once")
        ]

    def __str__(self) -> str:
        return f"{self.searches} on {self.day}"


class Reason(models.TextChoices):
    """What is wrong with a result."""

    SLOGAN = "slogan", "The summary says something else"
    LATEX = "latex", "The LaTeX is broken"
    KIND = "kind", "It is of another kind"
    OTHER = "other", "Something else"


class Feedback(models.Model):
    """What a person said of a result: 1 relevant, -1 not relevant, 0 neither. The newest of a person counts."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="search_feedback"
    )
    statement = models.ForeignKey(Statement, on_delete=models.CASCADE, related_name="feedback")
    query = models.ForeignKey(Query, null=True, on_delete=models.SET_NULL, related_name="feedback")
    value = models.SmallIntegerField()
    reason = models.CharField(max_length=10, choices=Reason, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    said_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(value__in=[-1, 0, 1]), name="feedback_is_a_vote"),
            models.CheckConstraint(condition=Q(reason="") | Q(value=-1), name="feedback_reason_is_against"),
        ]

    def __str__(self) -> str:
        return f"{self.value:+d} for {self.statement_id}"


class CheckState(models.TextChoices):
    """How far a check is."""

    WAITING = "waiting", "Waiting for a worker"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class ReleaseCheck(models.Model):
    """One comparison of a release's texts with a corpus as it was then, named by the hash of its statements."""

    release = models.ForeignKey("benchmark.Release", on_delete=models.PROTECT, related_name="corpus_checks")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="checks")
    state = models.CharField(max_length=10, choices=CheckState, default=CheckState.WAITING)
    corpus_sha256 = models.CharField(max_length=64, blank=True)
    problem = models.TextField(blank=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    asked_at = models.DateTimeField(default=timezone.now)
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "corpus"],
                condition=Q(state__in=[CheckState.WAITING, CheckState.RUNNING]),
                name="one_check_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state=CheckState.DONE, done_at__isnull=False) & ~Q(corpus_sha256="")
                | ~Q(state=CheckState.DONE) & Q(done_at=None),
                name="check_done_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(state=CheckState.FAILED) & ~Q(problem="")
                | ~Q(state=CheckState.FAILED) & Q(problem=""),
                name="failed_check_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_id} in {self.corpus_id}"


class Kind(models.TextChoices):
    """How alike a text of a release and a statement are."""

    IDENTICAL = "identical", "Identical"
    NEAR = "near", "Nearly the same"
    RELATED = "related", "Related"


class Decision(models.TextChoices):
    """What a person decided about a finding."""

    OPEN = "", "Not decided"
    LEAK = "leak", "A leak"
    DUPLICATE = "duplicate", "The same statement, no leak"
    HARMLESS = "harmless", "Something else"


class Finding(models.Model):
    """A text of a problem and the statement that is like it; `permille` is the share of common runs of words.

    What was found never changes. What was decided does, and the audit trail keeps each decision.
    """

    check_of = models.ForeignKey(ReleaseCheck, on_delete=models.CASCADE, related_name="findings")
    instance = models.ForeignKey("benchmark.Instance", on_delete=models.PROTECT, related_name="+")
    field = models.CharField(max_length=200)
    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    permille = models.PositiveSmallIntegerField()
    decision = models.CharField(max_length=10, choices=Decision, default=Decision.OPEN, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["check_of", "instance", "field", "statement"], name="finding_once_per_check"
            ),
            models.CheckConstraint(condition=Q(permille__lte=1000), name="finding_permille_to_1000"),
            models.CheckConstraint(
                condition=Q(decision="", decided_at=None, decided_by=None)
                | ~Q(decision="") & Q(decided_at__isnull=False),
                name="finding_decided_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.instance_id} {self.field}"


class Reads(models.TextChoices):
    """What a model reads: a statement, alone or with something of its document."""

    BODY = "body", "The statement alone"
    ABSTRACT = "abstract", "With the abstract of its document"
    INTRODUCTION = "introduction", "With the first section of its document"


class SloganRun(PricedJob):
    """A request for the slogans of a corpus. It always has a budget, because every statement costs a call."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="slogan_runs")
    reads = models.CharField(max_length=20, choices=Reads)
    prompt_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(reads__in=Reads.values), name="slogan_run_reads"),
            models.CheckConstraint(
                condition=Q(max_tokens__isnull=False) | Q(max_cost__isnull=False),
                name="slogan_run_has_a_budget",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[RunState.RUNNING, RunState.PAUSED], finished_at=None)
                | Q(state__in=[RunState.DONE, RunState.CANCELLED], finished_at__isnull=False),
                name="slogan_run_finished_at_some_time",
            ),
            models.UniqueConstraint(
                fields=["corpus", "reads"],
                condition=Q(state__in=[RunState.RUNNING, RunState.PAUSED]),
                name="one_slogan_run_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"slogan run {self.pk}"


class SloganTask(LeasedTask):
    """One statement of a run."""

    run = models.ForeignKey(SloganRun, on_delete=models.PROTECT, related_name="tasks")
    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "statement"], name="slogan_task_once_per_run"),
            *lease_constraints("slogan_task"),
        ]
        indexes = [
            models.Index(fields=["state", "available_at"], name="slogan_task_queue"),
            models.Index(fields=["run", "state", "id"], name="slogan_task_of_run"),
        ]

    def __str__(self) -> str:
        return f"slogan task {self.pk}"


class SloganCall(Call):
    """One request to an endpoint and its raw reply, kept for ever."""

    task = models.ForeignKey(SloganTask, on_delete=models.PROTECT, related_name="calls")

    def __str__(self) -> str:
        return f"slogan call {self.pk}"


class Slogan(models.Model):
    """What a model wrote about a statement; `fault` is the code of why it is not used, and empty if it is."""

    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="slogans")
    reads = models.CharField(max_length=20, choices=Reads)
    model = models.CharField(max_length=200)
    prompt_sha256 = models.CharField(max_length=64)
    task = models.OneToOneField(SloganTask, on_delete=models.PROTECT, related_name="slogan")
    call = models.OneToOneField(SloganCall, on_delete=models.PROTECT, related_name="slogan")
    text = models.TextField(blank=True)
    fault = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(fault="") & ~Q(text="") | ~Q(fault="") & Q(text=""),
                name="slogan_has_a_text_or_a_fault",
            ),
            models.UniqueConstraint(
                fields=["statement", "reads", "model", "prompt_sha256"],
                condition=Q(fault=""),
                name="slogan_once_per_statement",
            ),
        ]

    def __str__(self) -> str:
        return self.text or self.fault
