"""What is frozen is measured once; what people decide, and whatever is not frozen, is read each time."""

from typing import TypeVar

import pytest
from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils import timezone

from benchmark.abstaining.actions import mark_abstained
from benchmark.models import Output, Release, Run
from benchmark.releases.integrity import release_sha256, run_sha256
from benchmark.settling.actions import settle
from benchmark.settling.queue import questions
from reports.core.measurements import measured
from reports.scores.inputs import collect
from tests.benchmark.test_settling import ANOTHER, NO_AUTHORS, SURE, study
from tests.documents import score_document
from tests.factories import OutputFactory, RunFactory, SystemFactory

pytestmark = pytest.mark.django_db
Row = TypeVar("Row", Release, Run)
READS_RUNS, MEASURES = 1, 2  # statements; to measure, the instances and the outputs are read


def frozen(release: Release) -> Release:
    """The same, as it is once a campaign has drawn from it."""
    for run in release.runs.all():
        freeze(run)
    return freeze(release)


def freeze(row: Row) -> Row:
    """Store the true hash of a release or a run that factories made, and freeze it."""
    row.sha256 = release_sha256(row) if isinstance(row, Release) else run_sha256(row)
    row.frozen_at = timezone.now()
    row.save()
    return row


def values(release: Release) -> dict[tuple[str, str], float]:
    """CiteRecall@20 of every output, as it is measured now."""
    rows = measured(release, "raw").rows
    return {(row.system, row.instance): row.value for row in rows if row.measure == "cite_recall_20"}


def test_what_is_frozen_is_measured_once(django_assert_num_queries):
    release = frozen(study([SURE], [ANOTHER]))
    with django_assert_num_queries(READS_RUNS + MEASURES):
        first = measured(release, "raw")
    with django_assert_num_queries(READS_RUNS):
        assert measured(release, "raw") is first
    assert values(release) == {
        ("system-0", "gap-0"): 1,
        ("system-0", "gap-1"): 0,
        ("system-1", "gap-0"): 0,
        ("system-1", "gap-1"): 0,
    }


@pytest.mark.parametrize("left", ["release", "run"])
def test_what_is_not_frozen_is_measured_each_time(left):
    release = study([SURE])
    freeze(release if left == "run" else release.runs.get())
    assert measured(release, "raw") is not measured(release, "raw")


def test_an_answer_that_is_marked_as_abstained_before_its_run_freezes_counts_as_such():
    release = study([SURE])
    Output.objects.update(state="answered", text="Every class is stable.")
    assert measured(release, "raw").rows[0].state == "answered"
    mark_abstained(actor=None, output=Output.objects.get(), reason="It says that it found nothing.")
    assert measured(frozen(release), "raw").rows[0].state == "abstained"


def test_a_run_that_is_imported_later_is_measured_with_the_others():
    release = frozen(study([SURE]))
    assert {system for system, _ in values(release)} == {"system-0"}
    run = RunFactory(release=release, system=SystemFactory(slug="later"))
    OutputFactory(run=run, instance=release.instances.get(key="gap-1"), payload={"candidates": [SURE]})
    assert values(release)[("later", "gap-1")] == 1
    freeze(run)
    assert values(release)[("later", "gap-1")] == 1


def test_a_system_that_has_another_name_now_is_measured_under_it():
    release = frozen(study([SURE]))
    values(release)
    system = release.runs.get().system
    system.slug = "renamed"
    system.save()
    assert {name for name, _ in values(release)} == {"renamed"}


def test_another_database_with_the_same_keys_is_measured_again():
    """Somebody restores another database while this process runs: its rows have the keys of those before."""

    def from_the_first_key(source: dict[str, object]) -> tuple[Release, list[int]]:
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), [Release, Run]):
                cursor.execute(statement)
        release = frozen(study([source]))
        return release, [release.pk, *release.runs.values_list("pk", flat=True)]

    with transaction.atomic():
        release, keys = from_the_first_key(SURE)
        assert values(release)[("system-0", "gap-0")] == 1
        transaction.set_rollback(True)
    release, same = from_the_first_key(ANOTHER)
    assert same == keys
    assert values(release)[("system-0", "gap-0")] == 0


def test_what_people_decide_about_frozen_outputs_counts_at_once(coordinator):
    release = frozen(study([NO_AUTHORS]))

    def recall() -> dict[str, object]:
        return score_document(collect(release=release))["measured"]["systems"]["system-0"]["cite_recall_20"]

    assert (recall()["estimate"]["k"], recall()["open"]) == (0, 1)
    [question] = questions(release)
    settle(actor=coordinator, release=release, pair=question.case.pair, verdict="same")
    assert (recall()["estimate"]["k"], recall()["settled"]) == (1, 1)
