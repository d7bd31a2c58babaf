"""The database itself refuses what must not be, no matter who asks."""

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import PROTECT
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.trail import record
from benchmark.models import Instance, Output, Paper, Release, Run
from tests.factories import (
    InstanceFactory,
    JudgeFactory,
    OutputFactory,
    PaperFactory,
    ReleaseFactory,
    RunFactory,
    VerdictFactory,
)
from tests.guards import declared_guards

pytestmark = pytest.mark.django_db


def refused(words: str):
    return pytest.raises(IntegrityError, match=words)


@pytest.fixture
def frozen() -> Release:
    release = ReleaseFactory()
    PaperFactory(release=release)
    InstanceFactory(release=release)
    Release.objects.filter(pk=release.pk).update(frozen_at=timezone.now())
    return release


def installed() -> set[str]:
    sql = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'guard\\_%' ESCAPE '\\'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE tgname LIKE 'guard\\_%' AND NOT tgisinternal",
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return {name for (name,) in cursor.fetchall()}


def test_every_declared_guard_is_in_the_database_and_no_other():
    assert installed() == set(declared_guards())
    assert len(declared_guards()) > 25


def test_a_frozen_release_refuses_an_update(frozen):
    with refused("this release is frozen"):
        Release.objects.update(name="other")


def test_a_frozen_release_cannot_be_thawed(frozen):
    with refused("this release is frozen"):
        Release.objects.update(frozen_at=None)


def test_a_frozen_release_refuses_raw_sql(frozen):
    with refused("this release is frozen"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM benchmark_release")


@pytest.mark.parametrize("model", [Instance, Paper])
def test_the_content_of_a_frozen_release_refuses_update_delete_and_insert(frozen, model):
    row = model.objects.get()
    with refused("its release is frozen"), transaction.atomic():
        model.objects.update(key="other")
    with refused("its release is frozen"), transaction.atomic():
        model.objects.all().delete()
    row.pk, row.key = None, "new"
    with refused("its release is frozen"):
        row.save()


def test_an_instance_cannot_be_moved_into_a_frozen_release(frozen):
    loose = InstanceFactory()
    with refused("its release is frozen"):
        Instance.objects.filter(pk=loose.pk).update(release=frozen)


def test_a_new_run_may_join_a_frozen_release(frozen):
    OutputFactory(run=RunFactory(release=frozen), instance=frozen.instances.get())


def test_a_frozen_run_and_its_outputs_refuse_every_change():
    output = OutputFactory()
    Run.objects.update(frozen_at=timezone.now())
    with refused("this run is frozen"), transaction.atomic():
        Run.objects.update(track="assisted")
    with refused("its run is frozen"), transaction.atomic():
        Output.objects.update(text="better")
    with refused("its run is frozen"), transaction.atomic():
        Output.objects.all().delete()
    with refused("its run is frozen"):
        OutputFactory(run=output.run, instance=output.instance, attempt=2)


def test_the_audit_trail_is_append_only():
    record(actor=None, verb="tested", target=("nothing", "1"))
    with refused("append-only"), transaction.atomic():
        AuditEvent.objects.update(verb="forged")
    with refused("append-only"):
        AuditEvent.objects.all().delete()


def test_a_verdict_is_append_only_and_unique():
    verdict = VerdictFactory()
    with refused("append-only"), transaction.atomic():
        type(verdict).objects.update(value="no")
    question = {"judge": verdict.judge, "output": verdict.output}
    for other in ({"vote": 2}, {"order": 2}, {"predicate": "other"}, {"judge": JudgeFactory(slug="x")}):
        VerdictFactory(**question | other)
        with pytest.raises(IntegrityError), transaction.atomic():
            VerdictFactory(**question | other, value="no")
    with pytest.raises(IntegrityError):
        VerdictFactory(**question, value="no")


# Rows that go with the row they belong to: what is a person's alone, what is made again, and unsent drafts.
GO_ALONG = {
    "accounts.AccessToken.user",
    "accounts.Conflict.user",
    "accounts.Expertise.user",
    "accounts.IdempotencyRecord.user",
    "accounts.SavedComment.user",
    "annotation.ConflictTarget.conflict",
    "annotation.Draft.assignment",
    "annotation.Reminder.reviewer",
    "annotation.SideDraft.assignment",
    "annotation.SideDraft.training_item",
    "annotation.TrainingGold.item",  # of a training that no campaign has opened: a guard keeps the others
    "annotation.TrainingItem.training",
    "benchmark.IdentityScan.output",
    "benchmark.OriginalFile.attachment",  # guards keep both once their run or release is frozen
    "benchmark.ProtocolFlag.output",
    "construction.Pairing.source",
    "construction.Publication.source",  # a source that no build uses can be removed whole
    "construction.Reading.source",
    "construction.SourceArchive.source",
    "construction.UploadedArchive.run",
    "construction.UploadedArchive.source",  # the report of an upload stays when the source is removed
    "reports.KeptScore.release",
    "reports.LabelUpload.owner",
    "search.Document.corpus",  # a corpus that is not frozen can be deleted whole
    "search.Document.source",
    "search.Feedback.query",
    "search.Finding.check_of",
    "search.Feedback.statement",
    "search.Feedback.user",
    "search.Index.corpus",
    "search.Query.index",
    "search.Query.user",
    "search.SearchesOfADay.corpus",
    "search.Source.corpus",
    "search.Statement.corpus",
    "search.Statement.document",
}


def test_no_label_goes_with_a_person_problem_or_output_that_is_deleted() -> None:
    """Every other reference protects what it points to; a new one that does not is named here or fails."""
    ours = (
        "accounts",
        "annotation",
        "benchmark",
        "construction",
        "judging",
        "reports",
        "search",
        "solving",
        "work",
    )
    found = {
        f"{field.model._meta.label}.{field.name}"
        for model in apps.get_models()
        if model._meta.app_label in ours
        for field in model._meta.fields
        if field.remote_field and field.remote_field.on_delete is not PROTECT
    }
    assert found == GO_ALONG
