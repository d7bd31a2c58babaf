"""REST endpoints of scores, labels and artifacts."""

import csv
import io
import json

import pytest

from benchmark.releases.freezing import freeze_release
from reports.artifact.verification import verify
from reports.scores.inputs import collect
from stats.tables.labels import COLUMNS
from tests.documents import score_document

pytestmark = pytest.mark.django_db
BASE = "/api/v1/releases/sample-re2math/"
ADDRESSES = ["score/", "labels/", "artifacts/", f"artifacts/{'0' * 64}/"]


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.fixture
def olga(client, owner):
    client.force_login(owner)
    return client


@pytest.mark.parametrize("address", ADDRESSES)
def test_reviewers_and_strangers_get_nothing(client, gaps, algebraist, stranger, address):
    for user in (None, algebraist, stranger):
        client.logout()
        if user:
            client.force_login(user)
        for reply in (client.get(BASE + address), client.post(BASE + address, {}, "application/json")):
            assert reply.status_code in (401, 403)
            assert b"aurora" not in reply.content


@pytest.mark.slow
def test_the_score_is_the_document_of_the_command(carl, gaps):
    expected = json.loads(json.dumps(score_document(collect(release=gaps))))
    assert carl.get(f"{BASE}score/?track=raw&judge=sample-judge-v1").json() == expected


@pytest.mark.parametrize(
    ("query", "status"),
    [("track=oracle", 404), ("judge=nobody-v1", 404), ("model=aurora", 400), ("order=k", 400)],
)
def test_what_does_not_exist_is_404_and_what_is_not_understood_400(carl, gaps, query, status):
    assert carl.get(f"{BASE}score/?{query}").status_code == status


@pytest.mark.parametrize(
    ("address", "status", "reason"),
    [
        ("releases/sample-re2math/comparison/?outcome=judge:nonesuch", 404, "judge:tool_acc"),
        ("releases/sample-re2math/pairs/?grades=x:y", 404, "before a grading campaign is closed"),
        ("releases/sample-re2math/judge-audit/?judge=other-v9", 404, "there are"),
        ("releases/sample-re2math/judge-audit/?track=oracle", 404, "raw"),
        ("campaigns/sample-audit/questions/nonesuch/", 404, "nonesuch"),
        ("releases/elsewhere/comparison/", 404, ""),
        ("campaigns/elsewhere/results/", 404, ""),
        ("campaigns/elsewhere/monitoring/", 404, ""),
    ],
)
def test_a_figure_that_is_not_there_is_refused_with_what_is(carl, gaps, address, status, reason):
    reply = carl.get(f"/api/v1/{address}")
    assert reply.status_code == status
    assert reason in reply.json()["reason"]


def test_an_unknown_release_is_not_found(carl, gaps):
    assert carl.get("/api/v1/releases/nowhere/score/").status_code == 404


def test_labels_come_in_pages_that_join_to_the_whole_table(carl, gaps):
    address, seen = f"{BASE}labels/?identities=1&page_size=150", []
    while address:
        reply = carl.get(address).json()
        seen += reply["results"]
        address = reply["next"]
    whole = carl.get(f"{BASE}labels/?identities=1&format=csv")
    table = list(csv.DictReader(io.StringIO(b"".join(whole.streaming_content).decode())))
    # pages go by the order in which labels came, so that none is missed that comes meanwhile; the table goes by names
    assert sorted(seen, key=str) == sorted(table, key=str)
    assert tuple(seen[0]) == tuple(COLUMNS)


def test_labels_are_blinded_by_default(carl, gaps):
    reply = carl.get(f"{BASE}labels/?page_size=1000")
    assert b"aurora" not in reply.content
    assert {row["rater_kind"] for row in reply.json()["results"]} == {"expert"}


@pytest.mark.parametrize(
    "query",
    ["system=aurora", "page_size=0", "after=judge-x", "after=7", "offset=2", "reviewer=ada", "limit=3"],
)
def test_label_parameters_that_unblind_or_are_unknown_are_refused(carl, gaps, query):
    assert carl.get(f"{BASE}labels/?{query}").status_code == 400


def test_labels_can_be_filtered_by_listed_columns(carl, gaps):
    rows = carl.get(f"{BASE}labels/?campaign=sample-audit&question=suff&page_size=1000").json()["results"]
    assert {(row["campaign"], row["question"]) for row in rows} == {("sample-audit", "suff")}


def test_only_owners_freeze_and_read_a_score(carl, gaps, coordinator):
    freeze_release(actor=coordinator, release=gaps)
    assert carl.post(f"{BASE}artifacts/", {}, "application/json").status_code == 403
    assert carl.get(f"{BASE}artifacts/").json()["results"] == []
    assert carl.get(f"{BASE}artifacts/{'0' * 64}/").status_code == 403


@pytest.mark.slow
def test_a_frozen_score_is_listed_and_verifies(olga, gaps, owner):
    freeze_release(actor=owner, release=gaps)
    made = olga.post(f"{BASE}artifacts/", {"track": "raw"}, "application/json")
    assert made.status_code == 201
    digest = made.json()["sha256"]
    assert [row["sha256"] for row in olga.get(f"{BASE}artifacts/").json()["results"]] == [digest]
    assert verify(olga.get(f"{BASE}artifacts/{digest}/").json()).verified


def test_freezing_the_score_of_an_open_release_conflicts(olga, gaps):
    reply = olga.post(f"{BASE}artifacts/", {}, "application/json")
    assert reply.status_code == 409
    assert reply.json()["code"] == "not_frozen"
