"""Systems two at a time by AI judges, in the shape of RMA Table 2: three judges and experts, each with its win rates.

Two systems, four problems. Every judge is asked about every pair in both orders.
"""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.refusal import Refused
from reports.artifact.pairs import read_choices
from reports.comparison.pair_sources import PairSources
from reports.labels.importing import import_labels
from reports.scores.inputs import collect
from tests.documents import score_document

pytestmark = pytest.mark.django_db
HEAD = "release,campaign,question,subject,order,rater,rater_kind,value,state,rubric_version,judge_version"
# What each judge says of aurora against basalt, in order 1 (aurora first) and order 2 (basalt first).
SAID = {
    "one": [
        ("first", "second"),
        ("first", "second"),
        ("first", "second"),
        ("second", "first"),
    ],  # 3 wins, 1 loss
    "two": [("first", "first"), ("first", "second"), ("tie", "tie"), ("second", "first")],  # 1, 1, tie, flip
    "three": [("second", "first")] * 3 + [("second", "second")],  # 3 losses, 1 flip
}
EXPERT = ["first", "first", "tie", "second"]


@pytest.fixture
def compared(proofs, tmp_path):
    return with_choices(proofs, tmp_path)


def with_choices(release, folder):
    """The release with the choices of SAID and EXPERT."""
    lines = []
    for judge, problems in SAID.items():
        for problem, orders in enumerate(problems, start=1):
            for order, value in enumerate(orders, start=1):
                subject = f"sample-proof-0{problem}/aurora|basalt/1"
                lines.append(
                    f"sample-proofs,,prefer,{subject},{order},{judge},judge,{value},answered,,{judge}-v1"
                )
    for problem, value in enumerate(EXPERT, start=1):
        subject = f"sample-proof-0{problem}/aurora|basalt/1"
        lines.append(
            f"sample-proofs,which,preference,{subject},1,ann,expert,{value},answered,proofs-pairs-v1,"
        )
    file = folder / "choices.csv"
    file.write_text("\n".join([HEAD, *lines]) + "\n")
    import_labels(actor=None, path=file, release=release)
    return release


def by(release, key):
    return PairSources.of(release, collect(release=release)).document(key)


@pytest.mark.parametrize(
    ("key", "wins", "losses", "ties", "flips"),
    [
        ("prefer@one-v1", 3, 1, 0, 0),
        ("prefer@two-v1", 1, 1, 2, 1),
        ("prefer@three-v1", 0, 3, 1, 1),
        ("prefer@", 4, 5, 3, 2),
        ("which:preference", 2, 1, 1, 0),
    ],
)
def test_wins_ties_and_flips_of_every_judge_of_all_together_and_of_experts(
    compared, key, wins, losses, ties, flips
):
    found = by(compared, key)
    assert found["pairs"] == [
        {"first": "aurora", "second": "basalt", "wins": wins, "losses": losses, "ties": ties}
    ]
    assert found["order_flips"] == flips
    aurora = found["systems"][0]
    total = wins + losses + ties
    assert aurora["win_rate"]["value"] == pytest.approx(wins / total)
    low, high = aurora["win_rate"]["ci"]
    assert low <= wins / total <= high
    assert aurora["win_rate"]["clusters"] in (4, None)


def test_strength_and_rank_follow_the_wins(compared):
    aurora, basalt = by(compared, "prefer@")["systems"]
    assert aurora["strength"]["value"] == pytest.approx(-basalt["strength"]["value"])
    assert aurora["strength"]["value"] < 0 < basalt["strength"]["value"]  # 4 wins against 5
    assert aurora["rank"] == basalt["rank"] == [1, 2]


def test_judges_come_after_experts_choices_and_before_what_grades_imply(compared):
    sources = list(PairSources.of(compared, collect(release=compared)).titles)
    assert sources[:5] == ["which:preference", "prefer@one-v1", "prefer@three-v1", "prefer@two-v1", "prefer@"]
    with pytest.raises(Refused, match="prefer@three-v1"):
        by(compared, "prefer@four-v1")


@pytest.mark.slow
def test_one_page_has_the_win_rates_of_three_judges_and_of_experts(client, coordinator, compared):
    client.force_login(coordinator)
    page = client.get(reverse("pairs", args=["sample-proofs"]))
    beside = page.context["beside"]
    counts = {
        one["key"]: (one["comparisons"], one["ties"], one["flips"], one["swapped"])
        for one in beside["sources"]
    }
    assert counts["which:preference"] == (4, 1, 0, 0)
    assert counts["prefer@two-v1"] == (4, 2, 1, 4)
    assert counts["prefer@"] == (12, 3, 2, 12)
    rates_of, *_ = beside["tables"]
    aurora = next(row for row in rates_of["rows"] if row["system"] == "aurora")
    rates = [side["cell"].value for side in aurora["sides"][:5]]
    assert rates == ["50.0 %", "75.0 %", "0.0 %", "25.0 %", "33.3 %"]
    assert all(side["cell"].interval for side in aurora["sides"][:5])
    text = page.content.decode()
    assert "1 of 4" in text
    judged = client.get(reverse("pairs", args=["sample-proofs"]), {"grades": "prefer@"}).content.decode()
    assert "choices of AI judges (one-v1, three-v1, two-v1)" in judged
    linked = {part.split('"')[0] for part in judged.split('href="#def-')[1:]}
    assert all(f'id="def-{key}"' in judged for key in linked)


@pytest.mark.slow
def test_rest_and_analyse_say_the_same(client, coordinator, compared, tmp_path, capsys):
    client.force_login(coordinator)
    replied = client.get("/api/v1/releases/sample-proofs/pairs/", {"grades": "prefer@"}).json()
    assert replied == json.loads(json.dumps(by(compared, "prefer@")))
    call_command("export_labels", release="sample-proofs")
    file = tmp_path / "out.csv"
    file.write_text(capsys.readouterr().out)
    call_command("analyse", "pairs", str(file), question="prefer", json=True)
    exported = json.loads(capsys.readouterr().out)
    same = ("comparisons", "order_flips", "pairs", "position_bias", "tie_parameter")
    assert {key: replied[key] for key in same} == {key: exported[key] for key in same}


def test_choices_of_judges_never_enter_the_score_of_one_output(proofs, request):
    before = score_document(collect(release=proofs))
    request.getfixturevalue("compared")
    assert score_document(collect(release=proofs)) == before


def test_a_record_without_comparisons_has_neither_section_nor_files(proofs):
    assert read_choices(proofs, collect(release=proofs)).as_json() == {}
