"""Querysets of slogans: those that are used, what remains to be asked, and the progress of runs."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Count, Q, QuerySet

from search.models import Corpus, Reads, Slogan, SloganRun, Statement
from search.slogans.wording import FAULTS
from work.models import TaskState


def newest_slogans(statements: Collection[int] | QuerySet[Statement]) -> dict[int, list[Slogan]]:
    """The newest slogans of each statement, one for each thing that models read with it."""
    found: dict[int, dict[str, Slogan]] = defaultdict(dict)
    for slogan in Slogan.objects.filter(statement__in=statements, fault="").order_by("pk"):
        found[slogan.statement_id][slogan.reads] = slogan
    return {number: [of[reads] for reads in sorted(of)] for number, of in found.items()}


def readable(corpus: Corpus, reads: str) -> QuerySet[Statement]:
    """The statements whose documents have what a model is to read."""
    if reads == Reads.BODY:
        return corpus.statements.all()
    return corpus.statements.exclude(**{f"document__{reads}": None})


def unwritten(corpus: Corpus, reads: str, model: str, prompt_sha256: str) -> QuerySet[Statement]:
    """The statements for which a model has no slogan yet that can be used, in order."""
    written = Slogan.objects.filter(reads=reads, model=model, prompt_sha256=prompt_sha256, fault="")
    chosen = readable(corpus, reads).exclude(pk__in=written.values("statement"))
    return chosen.select_related("document").order_by("pk")


def runs_with_progress() -> QuerySet[SloganRun]:
    """Runs, the newest first, with counts of their tasks."""
    written = Q(tasks__slogan__fault="")
    return SloganRun.objects.annotate(
        n_tasks=Count("tasks"),
        n_written=Count("tasks", filter=written),
        n_refused=Count("tasks", filter=Q(tasks__slogan__isnull=False) & ~written),
        n_failed=Count("tasks", filter=Q(tasks__state=TaskState.FAILED)),
    ).order_by("-pk")


def faults_of(run: SloganRun) -> list[tuple[str, int]]:
    """Why replies of a run are not used, in words, with how many."""
    rows = Slogan.objects.filter(task__run=run).exclude(fault="").values("fault")
    counted = rows.annotate(times=Count("pk")).order_by("-times", "fault").values_list("fault", "times")
    return [(FAULTS[fault], times) for fault, times in counted]
