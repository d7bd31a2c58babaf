"""The round that beat asks for: one message looks after every queue of record."""

import datetime as dt

import pytest
from django.conf import settings
from django.utils import timezone

from benchmark.models import ImportUpload, RenderedDocument
from judging.models import JudgeTask
from reports import tasks
from tests.factories import JudgeTaskFactory, UserFactory
from work.models import TaskState

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch, django_capture_on_commit_callbacks) -> list[str]:
    """The names of the messages that the round sends."""
    names: list[str] = []
    for module in ("work.signal", "benchmark.rendering.stored", "reports.printing.jobs"):
        monkeypatch.setattr(f"{module}.current_app.send_task", lambda name, *args, **more: names.append(name))
    return names


def waiting_everywhere() -> JudgeTask:
    """An import and a text that nobody holds, and a judge's task of a dead worker."""
    now = timezone.now()
    ImportUpload.objects.create(
        owner=UserFactory(), handle="h", kind="outputs", file_name="a", size=1, sha256="0" * 64,
        terms={}, created_at=now, expires_at=now + dt.timedelta(days=1),
    )  # fmt: skip
    RenderedDocument.objects.create(sha256="0" * 64, text="a", text_format="plain")
    return JudgeTaskFactory(
        state=TaskState.LEASED, lease_owner="dead", lease_until=now - dt.timedelta(hours=1)
    )


def go_round(capture) -> None:
    with capture(execute=True):
        tasks.reconcile()


def test_a_round_brings_back_what_is_lost_and_calls_workers_for_what_waits(
    sent, django_capture_on_commit_callbacks
):
    task = waiting_everywhere()
    go_round(django_capture_on_commit_callbacks)
    assert sorted(sent) == ["benchmark.render", "benchmark.work_imports", "judging.work"]
    task.refresh_from_db()
    assert task.state == TaskState.WAITING


def test_a_round_in_which_nothing_waits_sends_nothing(sent, django_capture_on_commit_callbacks):
    go_round(django_capture_on_commit_callbacks)
    assert sent == []


def test_a_queue_in_trouble_does_not_hold_up_the_others(
    sent, django_capture_on_commit_callbacks, monkeypatch, caplog
):
    def fails() -> None:
        raise OSError("the folder of imports is away")

    monkeypatch.setattr(tasks, "reconcile_imports", fails)
    waiting_everywhere()
    go_round(django_capture_on_commit_callbacks)
    assert sorted(sent) == ["benchmark.render", "judging.work"]
    assert "the folder of imports is away" in caplog.text


def test_beat_sends_one_message_a_round_and_no_other_more_than_twice_a_minute():
    """With four messages a round, a broker that was slow by 0.3 s for each piece never caught up (make chaos)."""
    often = [name for name, entry in settings.CELERY_BEAT_SCHEDULE.items() if entry["schedule"] < 30]
    assert often == ["reconcile"]
