"""What an anchor gives away, by program."""

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmark.citations.flags import Leak, Spans
from benchmark.citations.leakage import scan
from benchmark.citations.reading import read_citation
from benchmark.protocols.re2math import PROTOCOL
from tests.stats.real_data import real_file

pytestmark = pytest.mark.no_database
READING = Path(__file__).parent / "data" / "anchor_reading.tsv"
KUO = read_citation(
    "M. Kuo, J. van der Berg, and T. Young. \\newblock Rigidity of random tilings by graphical condensation. "
    "\\newblock \\em J. Comb., 3:1--9, 2004. doi:10.1000/xyz"
)


def found(anchor: str, **about: str) -> list[tuple[str, str]]:
    return [(flag.kind.value, anchor[flag.start : flag.end]) for flag in scan(anchor, KUO, **about)]


@pytest.mark.parametrize(
    ("anchor", "flags"),
    [
        ("By a theorem of Kuo, the count factors.", [("author", "Kuo")]),
        (
            "Kuo's counting theorem gives the count.",
            [("author", "Kuo"), ("theorem", "Kuo's counting theorem")],
        ),
        ("This was shown by van der Berg.", [("author", "van der Berg")]),
        ("Apply the result of Kuo--Young to the graph.", [("author", "Kuo"), ("author", "Young")]),
        ("The Kuo spaces are complete.", []),
        ("It uses Kuos and kuo as words.", []),
        ("Apply the Hahn--Banach theorem.", [("theorem", "Hahn--Banach")]),
        ('Use the H\\"older inequality twice.', [("theorem", 'H\\"older inequality')]),
        ("Use the central limit theorem here.", [("theorem", "central limit theorem")]),
        ("Apply the concentration inequality.", []),
        ("Noetherian rings over a Hilbert space have Gaussian estimates.", []),
        ("By Theorem 3.1 and Lemma 2, and the main theorem.", []),
        (
            "Rigidity of all random tilings by graphical tools.",
            [("source_title", "Rigidity of all random tilings by graphical")],
        ),
        ("Random tilings are rigid.", []),
        ("It follows \\cite{Kuo04} at once", [("citation_key", "\\cite{Kuo04}")]),
        ("It follows \\citep[Thm.~2]{Kuo04", [("citation_key", "\\citep[Thm.~2]{Kuo04")]),
        ("See 10.1000/xyz for it", [("doi", "10.1000/xyz")]),
        ("See arXiv:2101.00001v2 for it", [("arxiv", "2101.00001")]),
        ("The result of Fontes, Isopi and Newman applies.", [("other_name", "Fontes, Isopi and Newman")]),
        ("", []),
    ],
)
def test_an_anchor_is_flagged_for_what_it_names(anchor: str, flags: list[tuple[str, str]]) -> None:
    assert found(anchor) == flags


def test_a_key_counts_if_it_is_no_word_or_stands_in_brackets() -> None:
    assert found("by Tu83 and others", key="Tu83") == [("citation_key", "Tu83")]
    assert found("the wilson bound", key="wilson") == []
    assert found("by [wilson] it is", key="wilson") == [("citation_key", "wilson")]
    assert found("GI1 at finite places", nearby="from \\cite[Prop.~1]{GI1, Pau}") == [("citation_key", "GI1")]
    assert found("Pau3 at real places", nearby="Pau3} and then") == [("citation_key", "Pau3")]


def test_a_common_word_at_the_start_is_in_doubt_and_a_name_inside_is_not() -> None:
    assert [flag.certain for flag in scan("Young tableaux count", KUO) if flag.kind == Leak.AUTHOR] == [False]
    assert [flag.certain for flag in scan("a result of Young", KUO)] == [True]


def test_a_person_is_in_doubt_where_the_citation_does_not_name_its_authors() -> None:
    bysame = read_citation("\\bysame, \\emph{Metrics on complex manifolds}, 2010.")
    (flag,) = scan("Then Khovanov proves it.", bysame)
    assert (flag.kind, flag.certain) == (Leak.AUTHOR, False)


def test_accents_in_any_form_name_the_same_person() -> None:
    cited = read_citation("M. Ajtai, J. Koml\\'os and I. Kr\\'i\\v z. Sets. \\emph{J. Comb.} 1980.")
    for anchor in ("by Koml\\'os", "by Komlós", "by Komlos", "by Kr\\'i\\v{z}", "work of Kr\\'i z ."):
        assert [flag.kind for flag in scan(anchor, cited)] == [Leak.AUTHOR], anchor


@pytest.mark.parametrize(
    "written",
    ["Schau{}der", "Schau\\-der", "Schau\u200bder", "Schau\u00adder", "S{\\relax}chauder", "\\emph{Schau}der",
     "Schau%\nder", "\u0405chauder", "$\\text{Schau}\\mathrm{der}$"],
)  # fmt: skip
def test_a_name_that_only_the_page_shows_in_one_piece_is_found_there(written: str) -> None:
    anchor = f"Use the theorem of {written} to find a fixed point."
    cited = read_citation("J. Schauder, Der Fixpunktsatz, Studia Math. 2 (1930), 171--180.")
    (flag,) = [flag for flag in scan(anchor, cited) if flag.certain]
    assert (flag.kind, flag.reason) == (Leak.AUTHOR, "the author Schauder; the page shows “Schauder”")
    assert anchor[flag.start : flag.end] == anchor


def test_the_page_gives_away_titles_theorems_and_identifiers_too_and_no_product_is_a_name() -> None:
    assert found("Apply the Hahn--Ba{}nach theorem.") == [("theorem", "Apply the Hahn--Ba{}nach theorem.")]
    assert found("See 10.1{}000/xyz for it.") == [("doi", "See 10.1{}000/xyz for it.")]
    title = "Rigi{}dity of random ti{}lings by graphical con{}densation."
    assert found(title) == [("source_title", title)]
    assert found("The product $K{}uo$ of numbers.") == []
    # once, where the source has it as well
    assert found("By Kuo and \\emph{K}uo.") == [("author", "Kuo")]


@pytest.mark.parametrize(
    ("anchor", "kind", "marked"),
    [
        ("see arXiv:math.AG/0601001 for the map", "arxiv", "math.AG/0601001"),
        ("see arXiv:2101.00001v2 for it", "arxiv", "2101.00001"),
        ("\u0130 use 10.1007/BF01193 for the map", "doi", "10.1007/BF01193"),
        ("use 10.1007/978%2D3 for the map", "doi", "10.1007/978%2D3"),
    ],
)
def test_an_identifier_is_marked_where_it_is_written(anchor: str, kind: str, marked: str) -> None:
    assert found(anchor) == [(kind, marked)]


def test_spans_answer_where_they_overlap() -> None:
    spans = Spans([(0, 9), (2, 3), (20, 22)])
    assert [place in spans for place in (0, 4, 8, 9, 19, 20, 22)] == [
        True,
        True,
        True,
        False,
        False,
        True,
        False,
    ]
    assert 0 not in Spans([])


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile", ["\\", "{", "\\'", "Kuo ", "Kuo-", "\\cite[", "[a", "10.1000/", "X-", "by Kuo "]
)
def test_hostile_anchors_are_scanned_in_linear_time(hostile: str) -> None:
    """The suite has no clock: quadratic scanning of a million characters would not come back."""
    flags = scan(hostile * (1_000_000 // len(hostile)), KUO, key="x1", nearby=hostile * 10_000)
    assert all(0 <= flag.start < flag.end for flag in flags)


@pytest.mark.real_data
def test_the_scanner_agrees_with_a_reading_of_the_200_real_anchors() -> None:
    """The table of docs/construction-audit.md: (TP, FP, FN, TN) of instances by kind."""
    reading = dict(line.split("\t") for line in READING.read_text("utf-8").splitlines() if line[0] != "#")
    program = PROTOCOL.program("construction")
    table: dict[str, Counter[str]] = {}
    for line in real_file("re2math", "benchmark_dataset_eval200.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        reply = program.decide("leak_free", row, None, "")
        flagged = {flag["kind"] for flag in reply.evidence["flags"]}
        read = set(reading.get(row["instance_id"], "").split())
        for kind in ("author", "theorem", "source_title", "citation_key", "doi", "arxiv"):
            cell = ("T" if (kind in read) == (kind in flagged) else "F") + ("P" if kind in flagged else "N")
            table.setdefault(kind, Counter())[cell] += 1
    assert {
        kind: tuple(cells[name] for name in ("TP", "FP", "FN", "TN")) for kind, cells in table.items()
    } == {
        "author": (29, 0, 0, 171),
        "theorem": (15, 0, 3, 182),
        "source_title": (3, 0, 1, 196),
        "citation_key": (2, 0, 0, 198),
        "doi": (0, 0, 0, 200),
        "arxiv": (0, 0, 0, 200),
    }
