"""Published figures from shipped facts: recomputed, and every discrepancy explained."""

import json

import pytest
from django.core.management import CommandError, call_command

from benchmark.published import PublishedError, parse_published, published_facts, published_protocols
from reports.published.checks import CHECKS
from reports.published.figures import published_document

PAPER = '[paper]\ntitle = "A paper"\nsource = "somewhere"\nread = "2026-11-21"\n'
TABLE = """
[[table]]
key = "rates"
where = "Table 1"
what = "Rates"
check = "percent"
inputs = ["k", "n"]
figures = ["percent"]
"""


def document(text):
    return published_document("a", parse_published(PAPER + TABLE + text, "published.toml"))


@pytest.mark.parametrize(
    ("protocol", "counts"),
    # reproduced, differs, not recomputable. The differing ones are those of the register: LemmaBench 2 + 2 + 1
    # + 2 denominators; Mask-Proof one rho; Re2Math Ground; theorem search 13 of 15 rates that are not counts of
    # 300, two cut figures, one impossible MRR, one share. Not recomputable: 6 x (4 + 2) and 7 x 2 figures.
    [
        ("lemmas", (48, 7, 0)),
        ("masked_steps", (28, 1, 0)),
        ("proofs", (65, 0, 36)),
        ("re2math", (233, 1, 14)),
        ("theorem_search", (319, 17, 0)),
    ],
)
def test_the_figures_of_each_paper_come_out_but_for_those_that_are_explained(protocol, counts):
    found = published_document(protocol, published_facts(protocol))
    assert tuple(found["counts"].values()) == counts


def test_every_paper_has_facts_and_every_check_is_used():
    assert published_protocols() == ["lemmas", "masked_steps", "proofs", "re2math", "theorem_search"]
    used = {table.check for name in published_protocols() for table in published_facts(name).table}
    assert used - {""} == set(CHECKS)


def test_known_discrepancies_say_what_would_settle_them():
    known = [each for name in published_protocols() for each in published_facts(name).discrepancy]
    assert len(known) == 25
    assert all(each.why and each.needs and each.recomputed for each in known)


def figures_of(protocol, table):
    found = published_document(protocol, published_facts(protocol))
    (one,) = [each for each in found["tables"] if each["key"] == table]
    return {
        (row["name"], f["figure"]): (f["published"], f["ours"]) for row in one["rows"] for f in row["figures"]
    }


@pytest.mark.parametrize(
    ("protocol", "table", "row", "figure", "published", "ours"),
    [
        ("lemmas", "precision", "Gemini 2.5 Pro, full context", "percent", "96.5", "78.7"),
        ("theorem_search", "ablations-mrr", "Table 5, prompted Qwen3 8B", "mrr", "0.496", "0.489"),
        ("masked_steps", "rank-correlation", "the fourth value", "rho", "0.73", "0.71"),
        ("theorem_search", "context", "body only, KaLM", "p1", "0.131", "0.132"),
    ],
)
def test_what_differs_differs_by_so_much(protocol, table, row, figure, published, ours):
    assert figures_of(protocol, table)[row, figure] == (published, ours)


def test_a_figure_is_rounded_half_up_on_the_exact_ratio():
    found = document('rows = [["half", 1, 800, "0.13"]]')  # 0.125 %, which a float rounds to 0.12
    assert found["tables"][0]["rows"][0]["figures"][0]["ours"] == "0.13"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('rows = [["a", 1, 2, "51"]]', "differs without a reason"),
        ('rows = [["a", 1, 2, "50"]]\nwhy.a = "because"', "explains a difference that is not there"),
        ('rows = [["a", 1, 0, "50"]]', "row a"),
        ('rows = [["a", 1, "50"]]', "2 inputs, figures as text"),
        ('rows = [["a", 1, 2, 50]]', "figures as text"),
        ('rows = [["a", 1, 2, "50"]]\nwhy.b = "because"', "there is no row"),
        ('rows = [["a", 1, 2, "50"]]\nneeds = "more"', "either a check or what it would need"),
        ('rows = [["a", 1, 2, "50"]]\nnote = "x"', "note"),
        ("rows = [", "published.toml"),
    ],
)
def test_facts_that_do_not_hold_together_are_refused_with_their_place(text, named):
    with pytest.raises(PublishedError, match=named):
        document(text)


def test_an_unknown_check_or_table_is_refused():
    with pytest.raises(PublishedError, match="no check 'guess'"):
        published_document(
            "a",
            parse_published(
                (PAPER + TABLE + 'rows = [["a", 1, 2, "50"]]').replace(
                    '"percent"\ninputs', '"guess"\ninputs'
                ),
                "x",
            ),
        )
    lost = '\n[[discrepancy]]\nkey = "k"\nwhere = "w"\npublished = "p"\nrecomputed = "r"\nwhy = "y"\nneeds = "n"\n'
    with pytest.raises(PublishedError, match="there is no table"):
        document('rows = [["a", 1, 2, "50"]]' + lost + 'tables = ["other"]')


def test_a_protocol_without_published_facts_has_none():
    with pytest.raises(KeyError, match="nothing published"):
        published_facts("nonesuch")


def test_the_command_names_what_differs(capsys):
    call_command("published", protocol="lemmas")
    said = capsys.readouterr().out
    assert "48 reproduced, 7 differs, 0 cannot be recomputed" in said
    assert "96.5" in said
    call_command("published", protocol="lemmas", json=True)
    assert json.loads(capsys.readouterr().out)["counts"]["differs"] == 7
    with pytest.raises(CommandError, match="No published figures"):
        call_command("published", protocol="nonesuch")


@pytest.mark.django_db
def test_pages_and_rest_show_the_figures_to_those_who_run_the_study(client, coordinator):
    client.force_login(coordinator)
    assert "LemmaBench" in client.get("/reports/published/").content.decode()
    page = client.get("/reports/published/re2math/").content.decode()
    assert 'id="table-wilson"' in page
    assert "233 reproduced" in page
    assert client.get("/api/v1/published/").json()["results"][0]["protocol"] == "lemmas"
    assert client.get("/api/v1/published/proofs/").json()["counts"]["not_recomputable"] == 36
    assert client.get("/reports/published/nonesuch/").status_code == 404
    assert client.get("/api/v1/published/nonesuch/").status_code == 404


@pytest.mark.slow
@pytest.mark.django_db
def test_a_release_leads_to_the_published_figures_of_its_protocol(client, coordinator, gaps):
    client.force_login(coordinator)
    for address in ("/studies/sample-re2math/", "/reports/releases/sample-re2math/"):
        assert 'href="/reports/published/re2math/"' in client.get(address).content.decode()
