"""Where judges' questions may go: hostile addresses reach nobody, and a key is written down nowhere."""

import json
import logging
from collections.abc import Iterator
from functools import partial

import pytest
from django.apps import apps
from django.core import serializers
from django.urls import reverse
from django.views.debug import get_exception_reporter_filter

from accounts.refusal import Refused
from judging.models import Call, JudgeTask, Verdict
from judging.runs.actions import ask
from llm.client import Client
from tests.judging.listener import Listener, NameServer, listening
from tests.llm.server import serving
from work.models import TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "sk-canary/5b1e+77"


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


@pytest.fixture
def listener() -> Iterator[Listener]:
    with listening() as running:
        yield running


def declare(settings, base_url: str, **more) -> None:
    declared = {"base_url": base_url, "max_attempts": 1, "timeout": 2, **more}
    settings.JUDGE_ENDPOINTS = json.dumps({"local": declared})


REFUSED_WHEN_DECLARED = [
    "http://127.1:{port}/v1",
    "http://0:{port}/v1",
    "http://2130706433:{port}/v1",
    "http://0177.0.0.1:{port}/v1",
    "http://0x7f.0.0.1:{port}/v1",
    "http://0x7f000001:{port}/v1",
    "http://127.0.0.1.:{port}\\@models.test/v1",
    "http://models.test@127.0.0.1:{port}/v1",
    "http://models.test:x@127.0.0.1:{port}/v1",
    "http://127.0.0.1:{port}#@models.test/v1",
    "http://127.0.0.1:{port}/v1?@models.test",
    "http://①②⑦.⓪.⓪.①:{port}/v1",
    "http://127。0。0。1:{port}/v1",
    "http://%31%32%37.0.0.1:{port}/v1",
    "unix:///{port}/model.sock",
    "http+unix://%2F{port}%2Fmodel.sock/v1",
    "file:///etc/hostname?{port}",
    "gopher://127.0.0.1:{port}/_POST",
    "dict://127.0.0.1:{port}/",
    "//127.0.0.1:{port}/v1",
    "http://127.0.0.1:{port}/v1\r\nHost: models.test",
]
REFUSED_WHEN_CALLED = [
    "http://127.0.0.1:{port}/v1",
    "http://localhost:{port}/v1",
    "http://localhost.:{port}/v1",
    "http://0.0.0.0:{port}/v1",
    "http://[::1]:{port}/v1",
    "http://[::]:{port}/v1",
    "http://[::ffff:127.0.0.1]:{port}/v1",
    "http://[::ffff:7f00:1]:{port}/v1",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/v1",
    "http://[::127.0.0.1]:{port}/v1",
    "http://[64:ff9b::7f00:1]:{port}/v1",
    "http://[2002:7f00:1::]:{port}/v1",
]


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("url", REFUSED_WHEN_DECLARED)
def test_a_hostile_base_url_stops_the_worker_before_anything_is_called(
    judge, release_with, settings, listener, url, private
):
    ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    declare(settings, url.format(port=listener.port), private=private)
    with pytest.raises(Refused, match="base_url"):
        drain()
    assert listener.connections == 0
    assert (JudgeTask.objects.get().state, Call.objects.count()) == (TaskState.WAITING, 0)


@pytest.mark.parametrize("url", REFUSED_WHEN_CALLED)
def test_an_inner_address_in_any_spelling_hears_nothing_from_an_endpoint_declared_public(
    judge, release_with, settings, listener, url
):
    ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    declare(settings, url.format(port=listener.port))
    drain()
    assert listener.connections == 0
    assert (Call.objects.count(), Verdict.objects.count()) == (0, 0)
    assert "is not configured on this worker" in JudgeTask.objects.get().last_error


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]"]
)
def test_metadata_services_are_not_called_even_by_a_private_endpoint(judge, release_with, settings, host):
    ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    declare(settings, f"http://{host}/v1", private=True)
    drain()
    assert Call.objects.count() == 0
    assert JudgeTask.objects.get().state == TaskState.WAITING


def test_a_listener_is_reached_when_it_is_declared_so_the_tests_above_could_fail(
    judge, release_with, settings, listener
):
    ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    declare(settings, f"http://[::1]:{listener.port}/v1", private=True)
    drain()
    assert listener.connections == 1


@pytest.fixture
def rebinding(monkeypatch, listener) -> Iterator[NameServer]:
    """models.test is 127.0.0.1 at the first look, a metadata service ever after."""
    names = NameServer(["127.0.0.1", "169.254.169.254"])
    monkeypatch.setattr("work.worker.Client", partial(Client, resolver=names.resolve))
    yield names
    names.close()


def test_a_name_that_moves_during_a_shift_is_not_looked_up_again_and_is_refused_in_the_next(
    judge, release_with, settings, server, rebinding
):
    """Every connection is closed by the server, so that each question needs a new connection."""
    ask(actor=None, judge=judge, release=release_with(6), predicates=["ground"])
    server.control({"script": [{"kind": "hang_up"}] * 3})
    declare(settings, server.url.replace("127.0.0.1", "models.test"), private=True, max_concurrency=1)
    assert drain() == 3
    assert (server.calls, rebinding.asked) == (6, 1)

    JudgeTask.objects.update(available_at=JudgeTask.objects.first().run.created_at)
    assert drain() == 0
    assert (server.calls, rebinding.asked) == (6, 2)


def everything_stored() -> str:
    """All rows of all tables as text."""
    return "\n".join(
        serializers.serialize("json", model.objects.all())
        for model in apps.get_models()
        if not model._meta.proxy and model._meta.managed
    )


@pytest.mark.parametrize(
    "mood",
    [
        {"kind": "text", "text": json.dumps({"label": "yes", "reason": KEY, "confidence": None})},
        {"kind": "text", "text": KEY},
        {"kind": "error", "status": 401, "message": f"Bearer {KEY} is not known"},
        {"kind": "error", "status": 500, "message": KEY},
        {"kind": "body", "body": KEY},
        {"kind": "body", "body": f'{{"{KEY}": 1, "{KEY}": 2}}'},  # the complaint names the repeated key
        {"kind": "body", "body": json.dumps({"error": KEY}).replace("/", r"\/")},
        {"kind": "redirect", "location": f"http://127.0.0.1:9/?{KEY}"},
        {"kind": "hang_up"},
        {"kind": "endless"},
        {"kind": "bomb", "megabytes": 5},
        {"kind": "drip"},
    ],
)
def test_no_key_is_in_a_row_a_log_or_a_page_whatever_the_server_does_with_it(
    judge, release_with, settings, server, coordinator, client, caplog, mood
):
    caplog.set_level(logging.DEBUG)
    server.control({"mood": mood})
    declare(settings, server.url, private=True, api_key=KEY, timeout=0.3, max_reply_bytes=100_000)
    run = ask(actor=coordinator, judge=judge, release=release_with(1), predicates=["ground"])
    drain()
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    client.force_login(coordinator)
    page = client.get(reverse("judge-run", args=[run.pk])).content.decode()
    stored = everything_stored()
    assert "judging.judgetask" in stored
    assert f"Run {run.pk}" in page or "ground" in page
    for where in (stored, caplog.text, page):
        assert KEY not in where
        assert KEY.replace("/", r"\/") not in where


def test_a_second_host_gets_neither_the_call_nor_the_key(judge, release_with, settings, server):
    with serving() as other:
        server.control({"mood": {"kind": "redirect", "status": 307, "location": other.url}})
        declare(settings, server.url, private=True, api_key=KEY)
        ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
        drain()
        assert (server.calls, other.calls, other.other_requests) == (1, 0, 0)
    assert "redirects are not followed" in JudgeTask.objects.get().last_error


def test_djangos_error_page_hides_the_declaration_of_endpoints(rf, settings):
    """It lists all settings, and in debug mode anybody may see it."""
    declare(settings, "https://models.test/v1", api_key=KEY)
    request = rf.get("/", TOUCHSTONE_JUDGE_ENDPOINTS=settings.JUDGE_ENDPOINTS, DATABASE_URL=f"x://u:{KEY}@h")
    hiding = get_exception_reporter_filter(request)
    assert KEY not in str(hiding.get_safe_settings())
    assert KEY not in str(hiding.get_safe_request_meta(request))
