"""The status page: what works, what does not, what waits; and the banner where a job waits without a worker."""

import datetime as dt
import json
import shutil
from smtplib import SMTPServerDisconnected

import pytest
import time_machine
from django.core import mail
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from benchmark.models import ImportState, ImportUpload
from reports.status.state import beat_heart, stalled_since, status, waiting_jobs
from reports.tasks import heartbeat
from tests.deployment import deployed
from work.models import EndpointState

pytestmark = pytest.mark.django_db
START = dt.datetime(2026, 11, 22, 9, 0, tzinfo=dt.UTC)
SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    cache.clear()
    monkeypatch.setattr("reports.status.state.current_app.control.ping", lambda timeout: [])


@pytest.fixture
def clock():
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


def lights() -> dict[str, tuple[str, str]]:
    return {light.name: (light.state, light.says) for light in status().lights}


def an_import(owner, since: dt.datetime, state: str = ImportState.WAITING) -> ImportUpload:
    kept = {"owner": owner, "kind": "release", "file_name": "a.jsonl", "size": 1, "sha256": "0" * 64}
    return ImportUpload.objects.create(
        **kept, handle=str(since), state=state, created_at=since, expires_at=since + dt.timedelta(days=1)
    )


def test_a_heartbeat_says_that_beat_and_a_worker_are_at_work(clock):
    assert lights()["Workers"][0] == "bad"
    heartbeat()
    assert (lights()["Workers"][0], lights()["Beat"][0]) == ("good", "good")
    clock.shift(dt.timedelta(minutes=2, seconds=1))
    assert (lights()["Workers"][0], lights()["Beat"][0]) == ("bad", "warn")


def test_after_the_clock_was_set_back_the_old_heartbeat_says_nothing(clock, monkeypatch):
    heartbeat()
    clock.shift(dt.timedelta(hours=-1))
    assert (lights()["Workers"][0], lights()["Beat"][0]) == ("bad", "warn")
    heartbeat()
    assert (lights()["Workers"][0], lights()["Beat"][0]) == ("good", "good")


def test_hosts_that_are_silent_or_had_a_clock_that_was_ahead_are_not_said_to_be_at_work(clock, monkeypatch):
    for host, at in (("ahead", START + dt.timedelta(hours=1)), ("gone", START - dt.timedelta(hours=1))):
        monkeypatch.setattr("reports.status.state.socket.gethostname", lambda host=host: host)
        clock.move_to(at)
        heartbeat()
    clock.move_to(START)
    assert lights()["Workers"][0] == "bad"
    monkeypatch.setattr("reports.status.state.socket.gethostname", lambda: "here")
    heartbeat()
    assert lights()["Workers"] == ("good", "At work on here.")


def test_a_worker_that_answers_without_a_heartbeat_says_that_beat_is_missing(clock, monkeypatch):
    monkeypatch.setattr(
        "reports.status.state.current_app.control.ping", lambda timeout: [{"w1@a": {"ok": "pong"}}]
    )
    found = lights()
    assert found["Workers"] == ("good", "w1@a answer.")
    assert found["Beat"][0] == "bad"


def test_a_broker_that_is_away_is_named(clock, monkeypatch):
    def away(timeout):
        raise OperationalError("refused")

    monkeypatch.setattr("reports.status.state.current_app.control.ping", away)
    assert lights()["Broker"][0] == "bad"


def test_the_oldest_waiting_job_of_each_kind_is_shown_and_only_what_waits(clock, owner):
    an_import(owner, START - dt.timedelta(minutes=9))
    an_import(owner, START - dt.timedelta(minutes=4))
    ImportUpload.objects.filter(pk=an_import(owner, START - dt.timedelta(hours=3)).pk).update(
        state=ImportState.CHECKED
    )
    (jobs,) = waiting_jobs(START)
    assert (jobs.kind, jobs.number, jobs.since) == ("Imports", 2, START - dt.timedelta(minutes=9))


def test_the_banner_comes_after_two_minutes_without_a_worker_and_goes_with_its_heartbeat(
    clock, client, owner
):
    client.force_login(owner)
    an_import(owner, START)
    assert "no worker has been seen" not in client.get(reverse("people")).content.decode()
    clock.shift(dt.timedelta(minutes=3))
    assert "A job has been waiting for 3\xa0minutes" in client.get(reverse("people")).content.decode()
    beat_heart()
    assert stalled_since() is None
    assert "no worker has been seen" not in client.get(reverse("people")).content.decode()


def test_reviewers_see_neither_banner_nor_page(clock, client, owner, algebraist):
    an_import(owner, START - dt.timedelta(hours=1))
    client.force_login(algebraist)
    assert "no worker has been seen" not in client.get(reverse("profile")).content.decode()
    assert client.get(reverse("status")).status_code == 403


def test_mail_that_was_refused_is_a_light_with_the_reason(client, coordinator, settings, monkeypatch):
    settings.EMAIL_BACKEND, settings.EMAIL_LEAVES = "config.mail.NotedBackend", True
    settings.EMAIL_CONFIG = {"EMAIL_BACKEND": "django.core.mail.backends.locmem.EmailBackend"}
    client.force_login(coordinator)
    client.post(reverse("status-mail"))
    assert mail.outbox[0].to == [coordinator.email]
    assert lights()["Mail"][0] == "good"

    def refuse(*args, **kwargs):
        raise SMTPServerDisconnected("Connection unexpectedly closed")

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
    page = client.post(reverse("status-mail"), follow=True).content.decode()
    assert "The message was not sent: Connection unexpectedly closed" in page
    assert lights()["Mail"] == ("bad", "The last message was not sent: Connection unexpectedly closed")


def test_mail_that_is_only_printed_is_said_to_be(settings):
    settings.EMAIL_LEAVES = False
    assert lights()["Mail"][0] == "warn"


def test_endpoints_show_their_failures_and_pauses(settings):
    declared = {
        name: {"base_url": f"http://127.0.0.1:{port}/v1", "private": True}
        for port, name in enumerate("abc", 1)
    }
    settings.JUDGE_ENDPOINTS = json.dumps(declared)
    EndpointState.objects.create(name="a", failures=2, last_error="timed out")
    until = timezone.now() + dt.timedelta(minutes=1)
    EndpointState.objects.create(name="b", failures=5, last_error="refused", open_until=until)
    found = lights()
    assert found["Endpoint a"] == ("warn", "The last call failed: timed out")
    assert found["Endpoint b"][0] == "bad"
    assert found["Endpoint c"] == ("good", "Was not called yet.")


@pytest.mark.parametrize(("free", "state"), [(2**29, "bad"), (2 * 2**30, "warn"), (50 * 2**30, "good")])
def test_a_disk_that_fills_up_is_shown_in_time(monkeypatch, free, state):
    usage = type(shutil.disk_usage("/"))(100 * 2**30, 0, free)
    monkeypatch.setattr("reports.status.state.shutil.disk_usage", lambda path: usage)
    assert {found for name, (found, _) in lights().items() if name.startswith("Disk")} == {state}


def test_the_page_and_rest_say_the_same(client, coordinator):
    client.force_login(coordinator)
    heartbeat()
    document = client.get("/api/v1/status/").json()
    page = client.get(reverse("status")).content.decode()
    for light in document["lights"]:
        assert light["name"] in page
    assert document["waiting"] == []


@pytest.mark.slow
def test_a_real_worker_and_beat_leave_their_heartbeat(tmp_path):
    with deployed(tmp_path / "site", TOUCHSTONE_CACHE="database") as site:
        site.manage("createcachetable")
        site.worker()
        site.beat()
        ask = (
            "import time\nfrom reports.status.state import last_heartbeat\n"
            "for _ in range(300):\n  if last_heartbeat(): print('seen'); break\n  time.sleep(.2)"
        )
        assert "seen" in site.manage("shell", "--command", ask)
