"""Pages, commands and REST of judging: who may see them, and what they say and do."""

import datetime as dt
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from judging.models import Judge, JudgeRun, Verdict
from judging.runs.actions import ask, create_judge
from work.models import EndpointState, RunState

pytestmark = pytest.mark.django_db

FORM = {
    "slug": "new-judge",
    "protocol": "re2math",
    "endpoint": "local",
    "model": "m",
    "family": "",
    "votes": 3,
    "decoding": '{"temperature": 0.5}',
}


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    monkeypatch.setattr("judging.runs.steering.ring", lambda: None)


@pytest.fixture
def as_(client):
    def sign_in(user):
        client.force_login(user)
        return client

    return sign_in


@pytest.mark.parametrize("name", ["judges", "new-judge", "api-judges", "api-judge-runs"])
def test_reviewers_and_strangers_never_see_judges(as_, name, algebraist, stranger):
    for user in (algebraist, stranger):
        assert as_(user).get(reverse(name)).status_code == 403


def test_the_unknown_are_sent_to_sign_in(client):
    assert client.get(reverse("judges")).status_code == 302
    assert client.get(reverse("api-judges")).status_code == 401


def test_without_an_endpoint_the_page_says_what_to_set(as_, coordinator, owner):
    assert b"TOUCHSTONE_JUDGE_ENDPOINTS" in as_(coordinator).get(reverse("judges")).content
    page = as_(owner).get(reverse("new-judge")).content
    assert b"TOUCHSTONE_JUDGE_ENDPOINTS" in page
    assert b'name="endpoint"' not in page


def test_a_declaration_that_does_not_parse_is_explained_without_its_key(as_, coordinator, settings):
    settings.JUDGE_ENDPOINTS = '{"lab": {"base_url": "ftp://x", "api_key": "very-secret"}}'
    page = as_(coordinator).get(reverse("judges")).content
    assert b"TOUCHSTONE_JUDGE_ENDPOINTS: endpoint lab" in page
    assert b"very-secret" not in page


def test_only_owners_create_judges(as_, owner, coordinator, endpoint):
    assert as_(coordinator).post(reverse("new-judge"), FORM).status_code == 403
    assert as_(owner).post(reverse("new-judge"), FORM).status_code == 302
    judge = Judge.objects.get(slug="new-judge")
    assert (judge.votes, judge.decoding) == (3, {"temperature": 0.5})


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("decoding", "{", b"This is not JSON"),
        ("decoding", "[]", b"Give a JSON object"),
        ("decoding", '{"tools": []}', b"Unknown: tools"),
        ("votes", "0", b"greater than or equal to 1"),
        ("endpoint", "http://evil", b"Select a valid choice"),
    ],
)
def test_a_wrong_setting_is_refused_beside_its_field(as_, owner, endpoint, field, value, words):
    reply = as_(owner).post(reverse("new-judge"), {**FORM, field: value})
    assert reply.status_code == 400
    assert words in reply.content
    assert not Judge.objects.exists()


def test_a_coordinator_asks_steers_and_follows_a_run(as_, coordinator, judge, release_with):
    release = release_with(2)
    browser = as_(coordinator)
    asked = browser.post(
        reverse("judge", args=[judge.pk]), {"target": f"{release.name} raw", "predicates": ["ground"]}
    )
    run = JudgeRun.objects.get()
    assert asked.url == reverse("judge-run", args=[run.pk])
    page = browser.get(asked.url)
    assert b"0 of 2 answered" in page.content
    browser.post(reverse("steer-run", args=[run.pk]), {"to": "cancelled"})
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    fragment = browser.get(asked.url, headers={"X-Fragment": "progress"}).content
    assert b"Cancelled" in fragment
    assert b"<html" not in fragment


def test_asking_twice_is_refused_in_words(as_, coordinator, judge, release_with):
    release = release_with(1)
    for predicate in ("ground", "suff"):
        Verdict.objects.create(
            judge=judge, output=release.runs.get().outputs.get(), predicate=predicate, value="yes"
        )
    target = {"target": f"{release.name} raw", "predicates": ["ground", "suff"]}
    reply = as_(coordinator).post(reverse("judge", args=[judge.pk]), target)
    assert reply.status_code == 400
    assert b"Nothing to ask" in reply.content


def test_rest_lists_asks_and_reports(as_, coordinator, judge, release_with):
    release = release_with(2)
    browser = as_(coordinator)
    assert browser.get(reverse("api-judges")).json()["results"][0]["label"] == "strict-v1"
    wanted = {"judge": judge.pk, "release": release.name}
    asked = browser.post(reverse("api-judge-runs"), wanted, content_type="application/json")
    assert asked.status_code == 201
    assert asked.json()["n_tasks"] == 4
    assert browser.get(reverse("api-judge-run", args=[asked.json()["id"]])).json()["state"] == "running"


def test_rest_shows_verdicts_by_subject(as_, coordinator, judge, release_with):
    release = release_with(1)
    output = release.runs.get().outputs.get()
    Verdict.objects.create(judge=judge, output=output, predicate="ground", value="yes")
    (shown,) = as_(coordinator).get(reverse("api-verdicts", args=[release.name])).json()["results"]
    system = release.runs.get().system.slug
    assert shown["subject"] == f"{output.instance.key}/{system}/1"


def test_a_session_write_without_csrf_token_is_refused(judge, release_with, coordinator):
    from django.test import Client

    browser = Client(enforce_csrf_checks=True)
    browser.force_login(coordinator)
    wanted = json.dumps({"judge": judge.pk, "release": release_with(1).name})
    assert browser.post(reverse("api-judge-runs"), wanted, "application/json").status_code == 403


def test_the_list_of_runs_takes_the_same_number_of_queries_however_many(
    as_, coordinator, judge, release_with, django_assert_max_num_queries
):
    for n in (1, 2, 3):
        ask(actor=None, judge=judge, release=release_with(n))
    browser = as_(coordinator)
    with django_assert_max_num_queries(8):
        browser.get(reverse("judges"))


def test_the_command_names_what_is_missing(endpoint, release_with, settings, judge):
    release = release_with(1)
    with pytest.raises(CommandError, match=r"There is no judge 'nobody'\. Judges: strict"):
        call_command("judge", release=release.name, judge="nobody")
    with pytest.raises(CommandError, match="There is no release 'nowhere'"):
        call_command("judge", release="nowhere", judge="strict")
    settings.JUDGE_ENDPOINTS = ""
    with pytest.raises(CommandError, match="No judge endpoint is configured"):
        call_command("judge", release=release.name, judge="strict")


@pytest.mark.django_db(transaction=True)
def test_the_command_lends_a_hand_and_reports_in_json(judge, release_with, capsys):
    release = release_with(3)
    call_command("judge", release=release.name, judge="strict", json=True)
    report = json.loads(capsys.readouterr().out)
    assert (report["tasks"], report["done"], report["calls"], report["state"]) == (6, 6, 6, "done")


CAPPED = {
    **FORM,
    "decoding": '{"max_tokens": 100}',
    "prompt_price": "0.150",
    "completion_price": "2",
    "budget_tokens": "100000",
    "budget_cost": "",
}


def test_prices_and_budget_belong_to_the_version(as_, owner, endpoint):
    as_(owner).post(reverse("new-judge"), CAPPED)
    as_(owner).post(reverse("new-judge"), {**CAPPED, "prompt_price": "0.15"})  # the same price
    as_(owner).post(reverse("new-judge"), {**CAPPED, "budget_tokens": "5"})
    first, second = Judge.objects.order_by("version")
    assert (first.prices, first.budget) == ({"prompt": "0.15", "completion": "2"}, {"tokens": 100_000})
    assert second.budget == {"tokens": 5}


def test_a_price_with_a_comma_is_refused_at_its_field_and_no_browser_drops_the_comma(as_, owner, endpoint):
    """A number input of a browser in English makes 015 of a typed 0,15."""
    page = as_(owner).get(reverse("new-judge")).content.decode()
    for name in ("prompt_price", "completion_price", "budget_cost"):
        assert f'<input type="text" name="{name}" inputmode="decimal"' in page
    reply = as_(owner).post(reverse("new-judge"), {**CAPPED, "prompt_price": "0,15"})
    assert "Write a number with a decimal point, for example 0.15." in reply.content.decode()
    assert not Judge.objects.exists()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"decoding": "{}"}, "give new-judge max_tokens in its decoding"),
        (
            {"budget_cost": "5", "prompt_price": "", "completion_price": ""},
            "needs prices, and new-judge has none",
        ),
    ],
)
def test_a_version_whose_own_cap_cannot_be_kept_is_not_made(as_, owner, endpoint, changed, reason):
    """It never changes and could never be asked."""
    page = as_(owner).post(reverse("new-judge"), CAPPED | changed).content.decode()
    assert reason in page
    assert not Judge.objects.exists()


def test_a_page_shows_the_decoding_as_the_form_takes_it(as_, owner, endpoint):
    as_(owner).post(reverse("new-judge"), FORM | {"decoding": '{"temperature": 0.5, "seed": 1}'})
    page = as_(owner).get(reverse("judge", args=[Judge.objects.get().pk])).content.decode()
    assert "{&quot;temperature&quot;: 0.5, &quot;seed&quot;: 1}" in page


def test_the_page_of_a_run_shows_its_pace_its_cost_and_the_circuit(as_, coordinator, endpoint, release_with):
    made = create_judge(
        actor=None,
        slug="priced",
        protocol="re2math",
        model="m",
        endpoint="local",
        prices={"prompt": "2"},
        decoding={"max_tokens": 10},
    )
    run = ask(actor=None, judge=made, release=release_with(1), max_tokens=10**6)
    EndpointState.objects.create(
        name="local", failures=7, open_until=timezone.now() + dt.timedelta(minutes=1), last_error="status 503"
    )
    page = as_(coordinator).get(reverse("judge-run", args=[run.pk])).content.decode()
    for words in (
        "0 of 1000000",
        "circuit open, 7 failures in a row",
        "status 503",
        "unknown: no recent answers",
    ):
        assert words in page


def test_a_run_is_adjusted_and_steered_by_page_and_rest(as_, coordinator, judge, release_with):
    run = ask(actor=None, judge=judge, release=release_with(1))
    browser = as_(coordinator)
    browser.post(reverse("adjust-run", args=[run.pk]), {"priority": "3"})
    address = reverse("api-judge-run", args=[run.pk])
    assert browser.get(address).json()["priority"] == 3
    assert browser.patch(address, {"priority": 4}, content_type="application/json").json()["priority"] == 4
    refused = browser.patch(address, {"max_tokens": 10}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "cap_without_max_tokens")
    steered = browser.post(
        reverse("api-steer-judge-run", args=[run.pk]), {"to": "paused"}, content_type="application/json"
    )
    assert steered.json()["state"] == "paused"
    retried = browser.post(reverse("api-retry-judge-run", args=[run.pk]))
    assert (retried.status_code, retried.json()["code"]) == (409, "nothing_failed")
    resumed = browser.post(
        reverse("api-steer-judge-run", args=[run.pk]), {"to": "running"}, content_type="application/json"
    )
    assert resumed.json()["state"] == "running"


def test_only_staff_steers(as_, judge, release_with, algebraist):
    run = ask(actor=None, judge=judge, release=release_with(1))
    address = reverse("api-steer-judge-run", args=[run.pk])
    refused = as_(algebraist).post(address, {"to": "paused"}, content_type="application/json")
    assert refused.status_code == 403
