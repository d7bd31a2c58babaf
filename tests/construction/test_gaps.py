"""Re2Math's questions one after the other, and the gaps that they lead to."""

import json
from collections import Counter
from typing import Any

import pytest

from benchmark.citations.reading import read_citation
from benchmark.importing.keys import PaperFields
from benchmark.protocols.re2math.schema import ProofGap
from construction.pipeline import Paper, Question, State, get_pipeline
from construction.recipes.passages import Drop, Made, Origin, read_alone
from construction.recipes.re2math.sources import entry_text, source_type
from latex.structure.bibliography import Reference

TEXT = r"""\documentclass{article}\newtheorem{theorem}{Theorem}\newcommand{\Gad}{\mathcal G}
\begin{document}
\section{Gadgets}
\begin{theorem}\label{main} Let $\Gad$ be a gadget with a plane $P$. Then $\Gad$ embeds in $P$. \end{theorem}
\begin{proof} The graph of $\Gad$ has no subdivision of $K_5$. By Theorem~\ref{main} for smaller gadgets, it has none of
$K_{3,3}$ either. Hence by \cite[Theorem 2]{Kur} it embeds in $P$, and this embedding extends to all of the gadget
because its faces are discs. See also \cite{Sur} for the history of such embeddings in surfaces of all kinds.
\end{proof}
\begin{thebibliography}{9}
\bibitem{Kur} K. Ziegler, Drawings without crossings, Fund. Math. 15 (1930), 271--283.
\bibitem{Sur} A. Author, A survey of drawings, preprint.
\end{thebibliography}\end{document}
"""
SMALL = {
    "min_entries": 1,
    "min_statements": 1,
    "min_cited": 1,
    "min_cited_in_proofs": 1,
    "min_scout_score": 0,
}
TARGET = {
    "setup": "A gadget is a finite cell complex of dimension two.",
    "target": "S0", "proof": "P0", "citations": [{"id": "Kur", "why": "It gives the embedding."}],
}  # fmt: skip
YES = {"instrumental": True, "reason": "The embedding is from there."}
NO = {"instrumental": False, "reason": "It is history."}
TOOL = {
    "tool": "If a finite graph has no subdivision of $K_5$ and none of $K_{3,3}$, then it embeds in the plane.",
    "type": "theorem", "restated": True, "restated_quote": "it embeds in space",
}  # fmt: skip
HINT = {"anchor": "Deduce that the graph can be drawn without crossings from what it does not contain."}
LEAKS = {"anchor": "Use the result of Ziegler on drawings to see that the graph embeds in the plane."}


def states(replies: dict[tuple[str, str], object], text: str = TEXT, **numbers: object) -> dict[str, State]:
    pipeline = get_pipeline("re2math")
    paper = Paper(
        PaperFields(key="2601.00001", title="Gadgets", year=2026), "combinatorics", read_alone(text)
    )
    written = {
        place: reply if isinstance(reply, str) else json.dumps(reply) for place, reply in replies.items()
    }
    found = list(pipeline.construct(paper, pipeline.recipe(SMALL | numbers), written, seed=1))
    assert Counter(state.key for state in found).most_common(1)[0][1] == 1
    assert all(state.stage in pipeline.stages for state in found)
    return {state.key: state for state in found}


def asked(state: State) -> Question:
    assert isinstance(state.outcome, Question)
    assert state.stage == state.outcome.stage
    return state.outcome


def made(state: State) -> Made[Any]:
    assert not isinstance(state.outcome, Question | Drop)
    return state.outcome[0]


def test_a_paper_comes_to_a_gap_by_four_questions_one_after_the_other() -> None:
    replies: dict[tuple[str, str], object] = {}
    first = asked(states(replies)["paper"])
    assert "S0: theorem 1: \\label{main} Let $\\Gad$ be a gadget" in first.fields["outline"]
    assert first.fields["proofs"].startswith("P0 proves S0 and cites Kur, Sur:")
    replies["paper", "target"] = TARGET
    found = states(replies)
    assert list(found) == ["citation-1", "citation-2"]
    assert asked(found["citation-1"]).stage == "instrumental"
    replies["citation-1", "instrumental"], replies["citation-2", "instrumental"] = YES, NO
    found = states(replies)
    refused = found["citation-2"].outcome
    assert isinstance(refused, Drop)
    assert (refused.code, refused.sentence) == ("not_instrumental", "It is history.")
    witness = asked(found["citation-1"])
    assert "no subdivision of $K_5$" in witness.fields["before"]
    assert "\\Gad" not in witness.fields["before"]
    replies["citation-1", "witness"] = TOOL
    assert asked(states(replies)["citation-1"]).stage == "anchor"
    replies["citation-1", "anchor"] = HINT
    state = states(replies)["citation-1"]
    gap = made(state).line
    assert isinstance(gap, ProofGap)
    assert gap.x.local_context == [
        "The graph of $\\mathcal G$ has no subdivision of $K_5$.",
        "By Theorem~1 for smaller gadgets, it has none of\n$K_{3,3}$ either.",
    ]
    assert "\\label" not in gap.x.global_context.target_theorem
    assert not gap.y.restated_in_citing_paper  # the reply says so, and its quotation is not in the paper
    assert (gap.z.locator, gap.z.source_type) == ("Theorem 2", "journal_paper")
    assert states(replies)["citation-1"] == state


@pytest.mark.parametrize("second", ["", "\\begin{proof}[Second proof]Another.\\end{proof}"])
def test_a_theorem_that_its_proofs_are_written_in_is_shown_without_them(second: str) -> None:
    text = TEXT.replace(" \\end{theorem}\n", "\n").replace(
        "\\end{proof}", f"\\end{{proof}}{second}\\end{{theorem}}"
    )
    replies: dict[tuple[str, str], object] = {
        ("paper", "target"): TARGET, ("citation-1", "instrumental"): YES, ("citation-2", "instrumental"): NO,
        ("citation-1", "witness"): TOOL, ("citation-1", "anchor"): HINT,
    }  # fmt: skip
    gap = made(states(replies, text)["citation-1"])
    theorem = gap.line.x.global_context.target_theorem
    assert (
        theorem.strip() == "Let $\\mathcal G$ be a gadget with a plane $P$. Then $\\mathcal G$ embeds in $P$."
    )
    (place,) = gap.provenance["x.global_context.target_theorem"].places
    assert text[place.start : place.end].endswith("embeds in $P$.\n")


def test_every_string_of_a_gap_has_its_origin() -> None:
    replies: dict[tuple[str, str], object] = {
        ("paper", "target"): TARGET, ("citation-1", "instrumental"): YES, ("citation-1", "witness"): TOOL,
        ("citation-1", "anchor"): HINT,
    }  # fmt: skip
    found = made(states(replies)["citation-1"])

    def strings(name: str, value: object) -> list[str]:
        if isinstance(value, dict):
            return [
                found for key, inner in value.items() for found in strings(f"{name}.{key}".lstrip("."), inner)
            ]
        if isinstance(value, list):
            return [found for at, inner in enumerate(value) for found in strings(f"{name}.{at}", inner)]
        return [name] if isinstance(value, str) and value else []

    origins: dict[str, Origin] = dict(found.provenance)
    without = [
        name
        for name in strings("", found.line.model_dump())
        if not any(name == known or name.startswith(f"{known}.") for known in origins)
    ]
    assert without == []
    assert origins["y.reference_tool_latex"].written_by == "gap-witness.v1"
    for place in origins["z.citation_content"].places:
        assert "Ziegler" in TEXT[place.start : place.end]


def test_an_anchor_that_gives_the_source_away_is_written_again_once() -> None:
    replies: dict[tuple[str, str], object] = {
        ("paper", "target"): TARGET, ("citation-1", "instrumental"): YES, ("citation-1", "witness"): TOOL,
        ("citation-1", "anchor"): LEAKS,
    }  # fmt: skip
    again = asked(states(replies)["citation-1"])
    assert again.stage == "rewrite"
    assert "Ziegler" in again.fields["fault"]
    found = made(states(replies | {("citation-1", "rewrite"): HINT})["citation-1"])
    assert found.provenance["x.anchor_hint"].written_by == "gap-rewrite.v1"
    refused = states(replies | {("citation-1", "rewrite"): LEAKS})["citation-1"].outcome
    assert isinstance(refused, Drop)
    assert refused.code == "anchor_leaks"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("no", "not_json"),
        (TARGET | {"target": ""}, "target_theorem_not_main"),
        (TARGET | {"proof": "P7"}, "main_proof_not_found"),
        (TARGET | {"target": "S7"}, "proof_span_not_aligned"),
        (TARGET | {"setup": " "}, "empty_setup"),
        (TARGET | {"setup": "Theorem 1. Gadgets embed."}, "bad_setup"),
        (TARGET | {"setup": "g" * 1_201}, "bad_setup"),
    ],
)
def test_a_paper_is_refused_where_the_reply_about_its_theorem_cannot_be_used(
    reply: object, code: str
) -> None:
    outcome = states({("paper", "target"): reply})["paper"].outcome
    assert isinstance(outcome, Drop)
    assert outcome.code == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"tool": ""}, "weak_tool_empty"),
        ({"type": "other"}, "generic_tool_type"),
        ({"tool": "If a gadget $\\Gad$ has no subdivision of $K_5$, then it embeds."}, "macro_not_expanded"),
    ],
)
def test_a_witness_that_says_nothing_is_refused(changes: dict[str, object], code: str) -> None:
    replies: dict[tuple[str, str], object] = {
        ("paper", "target"): TARGET, ("citation-1", "instrumental"): YES,
        ("citation-1", "witness"): TOOL | changes,
    }  # fmt: skip
    outcome = states(replies)["citation-1"].outcome
    assert isinstance(outcome, Drop)
    assert outcome.code == code


def test_only_the_best_citations_of_the_proof_are_asked_about_those_that_the_reply_names_first() -> None:
    named = TARGET | {"citations": [{"id": "Sur", "why": "It is the survey."}]}
    found = states({("paper", "target"): named}, kept_of_a_paper=1)
    assert asked(found["citation-2"]).fields["key"] == "Sur"
    refused = found["citation-1"].outcome
    assert isinstance(refused, Drop)
    assert refused.code == "beyond_the_best"


def test_where_a_citation_opens_the_proof_the_tool_must_be_restated() -> None:
    text = TEXT.replace("The graph of $\\Gad$ has no subdivision of $K_5$. By Theorem~\\ref{main} for smaller gadgets,"
                        " it has none of\n$K_{3,3}$ either. ", "")  # fmt: skip
    replies: dict[tuple[str, str], object] = {
        ("paper", "target"): TARGET, ("citation-1", "instrumental"): YES, ("citation-1", "witness"): TOOL,
    }  # fmt: skip
    outcome = states(replies, text, min_proof=50)["citation-1"].outcome
    assert isinstance(outcome, Drop)
    assert outcome.code == "empty_local_context"
    replies["citation-1", "witness"] = TOOL | {"restated_quote": "it embeds in $P$"}
    assert asked(states(replies, text, min_proof=50)["citation-1"]).stage == "anchor"


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("A. Author, Drawings, Fund. Math. 15 (1930), 271--283.", "journal_paper"),
        ("A. Author, Drawings, Graduate Texts in Mathematics 7, Springer, 1990.", "book"),
        ("A. Author, Drawings, PhD thesis, University Press, 1990.", "thesis"),
        (
            "A. Author, Drawings, in: Proceedings of the meeting on drawings, 1990, pp. 1--20.",
            "conference_paper",
        ),
        ("A. Author, Drawings, arXiv:2601.00001.", "preprint"),
        ("A. Author, private communication.", "unknown"),
    ],
)
def test_the_words_of_an_entry_say_what_kind_of_work_it_is(entry: str, kind: str) -> None:
    assert source_type(entry) == kind


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (
            "bibitem",
            "\\bibitem[{Zi[30]}]{Kur} K. Ziegler, Drawings without crossings, Fund. Math. 15 (1930).",
        ),
        ("bib", "@article{Kur, author = {Ziegler, K.}, title = {Drawings {w}ithout crossings}, year = 1930}"),
        (
            "amsrefs",
            "\\bib{Kur}{article}{ author={Ziegler, K.}, title={Drawings without crossings}, date={1930} }",
        ),
        (
            "biber",
            "\\entry{Kur}{article}{}\n \\name{author}{1}{}{{{hash=1}{family={Ziegler}, familyi={Z\\bibinitperiod},"
            " given={Karl}, giveni={K\\bibinitperiod}}}}\n \\field{title}{Drawings without crossings}\n\\endentry",
        ),
    ],
)
def test_the_author_of_an_entry_is_known_in_whatever_form_it_is(form: str, text: str) -> None:
    """Otherwise nothing would refuse an anchor with the author's name."""
    cited = read_citation(entry_text(Reference("Kur", "", form, text, ())))
    assert [name.surname for name in cited.authors.names] == ["Ziegler"]
    assert "rawings" in cited.title
