"""Before a campaign is closed no figure by system leaves it, no matter who asks and in what form (ADR 0016)."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from reports.scores.inputs import collect
from tests.documents import score_document

pytestmark = pytest.mark.django_db


def named(part, systems):
    """Every place in a document whose key or text names a system."""
    if isinstance(part, dict):
        return [key for key in part if any(name in key for name in systems)] + [
            found for value in part.values() for found in named(value, systems)
        ]
    if isinstance(part, list):
        return [found for value in part for found in named(value, systems)]
    return [part] if isinstance(part, str) and any(name in part for name in systems) else []


SYSTEMS = ("aurora", "basalt", "cobalt")


@pytest.mark.slow
def test_experts_and_audit_name_no_system_while_open(gaps, still_open):
    document = score_document(collect(release=gaps))
    (campaign,), (audit,) = document["experts"], document["judge"]["audits"]
    assert not campaign["closed"]
    assert named(campaign, SYSTEMS) == named(audit, SYSTEMS) == []
    assert campaign["agreement"]
    assert all(found["in_sample"] and found["corrected"] == {} for found in audit["metrics"].values())


def test_the_same_document_names_them_once_closed(gaps):
    document = score_document(collect(release=gaps))
    (campaign,), (audit,) = document["experts"], document["judge"]["audits"]
    assert set(SYSTEMS) <= set(named(campaign, SYSTEMS))
    assert set(SYSTEMS) <= set(named(audit, SYSTEMS))


@pytest.mark.slow
@pytest.mark.parametrize("who", ["coordinator", "owner"])
def test_page_rest_csv_and_command_follow(client, request, gaps, still_open, capsys, who):
    client.force_login(request.getfixturevalue(who))
    replied = client.get("/api/v1/releases/sample-re2math/score/").json()
    assert replied["experts"][0]["questions"] == {}
    page = client.get(reverse("score-numbers", args=["sample-re2math"])).content.decode()
    assert "no figure by system is shown to anybody" in page
    assert "corrected by this audit, with 95" not in page
    address = reverse("figure-csv", args=["sample-re2math", "forest"])
    rows = b"".join(client.get(address).streaming_content).decode()
    assert "fixed judge" in rows
    assert "corrected" not in rows
    call_command("score", release="sample-re2math")
    assert "Beta-Binomial" not in capsys.readouterr().out
