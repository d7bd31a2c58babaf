"""The figures of the pages, typed: each command prints what REST replies, or words."""

import json

import pytest
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db

# command, its arguments, the address of the same document, and words of its text
TRACK = {"release": "sample-re2math"}
GAPS = [
    (["compare_systems"], TRACK, "releases/sample-re2math/comparison/", "aurora - basalt"),
    (["audit_judge"], TRACK, "releases/sample-re2math/judge-audit/", "by the design"),
    (["campaign_results", "sample-audit"], {}, "campaigns/sample-audit/results/", "places submitted"),
    (
        ["campaign_question", "sample-audit", "ground"],
        {},
        "campaigns/sample-audit/questions/ground/",
        "krippendorff_alpha",
    ),
    (["campaign_monitoring", "sample-audit"], {}, "campaigns/sample-audit/monitoring/", "median seconds"),
]


@pytest.mark.parametrize(("words", "options", "address", "shown"), GAPS, ids=[row[0][0] for row in GAPS])
def test_a_command_prints_what_rest_replies(
    client, coordinator, gaps, capsys, words, options, address, shown
):
    client.force_login(coordinator)
    call_command(*words, **options, json=True)
    assert json.loads(capsys.readouterr().out) == client.get(f"/api/v1/{address}").json()
    call_command(*words, **options)
    assert shown in capsys.readouterr().out


def test_pairs_are_printed_too(client, coordinator, proofs, capsys):
    client.force_login(coordinator)
    call_command("compare_pairs", release="sample-proofs", grades="sample-proofs:logic", json=True)
    replied = client.get("/api/v1/releases/sample-proofs/pairs/?grades=sample-proofs:logic").json()
    assert json.loads(capsys.readouterr().out) == replied
    call_command("compare_pairs", release="sample-proofs", grades="sample-proofs:logic")
    assert "54 comparisons" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "options", "reason"),
    [
        (["compare_systems"], {**TRACK, "outcome": "judge:nonesuch"}, "judge:tool_acc"),
        (["compare_systems"], {"release": "elsewhere"}, "sample-re2math"),
        (["compare_pairs"], {**TRACK, "grades": "x:y"}, "before a grading campaign is closed"),
        (["audit_judge"], {**TRACK, "judge": "other-v9"}, "there are"),
        (["audit_judge"], {**TRACK, "track": "oracle"}, "raw"),
        (["campaign_results", "elsewhere"], {}, "sample-audit"),
        (["campaign_question", "sample-audit", "nonesuch"], {}, "nonesuch"),
        (["campaign_monitoring", "elsewhere"], {}, "sample-audit"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(gaps, words, options, reason):
    with pytest.raises(CommandError, match=reason):
        call_command(*words, **options)
