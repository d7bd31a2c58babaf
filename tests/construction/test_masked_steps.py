"""Masks of a proof: what it refers to, which formulas can be masked, what a model may reply, the lines."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from benchmark.protocol import InstanceRecord
from benchmark.protocols.masked_steps.loader import read_release
from benchmark.protocols.masked_steps.schema import MASK, Mask
from construction.recipes.masked_steps.masks import Candidate, candidates, chosen, explanations, masked
from construction.recipes.masked_steps.pairs import Pair, pairs
from construction.recipes.masked_steps.recipe import Recipe
from construction.recipes.passages import Drop, Made, Quotations
from latex import Outline, Span, flatten, outline
from tests.construction import mined
from tests.growing import grows_in_proportion
from tests.latex import sources

HEAD = (
    r"\documentclass{article}\newtheorem{thm}{Theorem}\newtheorem{dfn}[thm]{Definition}\newcommand{\R}{\mathbb{R}}"
    "\\begin{document}\n"
)
SMALL = Recipe(min_characters=1, min_displays=0)
STATEMENT = "\\begin{thm}\\label{t}Let $x\\in\\R$.\\end{thm}\n"


def read(body: str) -> Outline:
    texts = {"main.tex": HEAD + body}
    return outline(flatten(texts, "main.tex"), texts)


def only(body: str, recipe: Recipe = SMALL) -> Pair | Drop:
    ((_, found),) = pairs(read(body), recipe)
    return found


def pair_of(proof: str, before: str = "") -> tuple[Outline, Pair]:
    source = read(f"{before}{STATEMENT}\\begin{{proof}}{proof}\\end{{proof}}")
    ((_, found),) = pairs(source, SMALL)
    assert isinstance(found, Pair), found
    return source, found


def contents(proof: str) -> list[str]:
    source, pair = pair_of(proof)
    return [pair.proof.text[made.start : made.end] for made in candidates(source, pair)]


# -- proofs --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "recipe", "code"),
    [
        (STATEMENT + "\\section{A}\\begin{proof}So.\\end{proof}", SMALL, "unpaired"),
        ("\\begin{dfn}D.\\end{dfn}\\begin{proof}So.\\end{proof}", SMALL, "definitional"),
        (STATEMENT + "\\begin{proof}So   it\n is.\\end{proof}", Recipe(min_characters=10), "short_proof"),
        (STATEMENT + "\\begin{proof}So \\[x\\]\\end{proof}", Recipe(min_characters=1), "few_displays"),
        (STATEMENT + "\\begin{proof}By \\cite{a}.\\end{proof}", SMALL, "external_citation"),
        (STATEMENT + "\\begin{proof}See \\ref{gone}.\\end{proof}", SMALL, "unresolved_reference"),
        (STATEMENT + "\\begin{proof}So $x^y^z$.\\end{proof}", SMALL, "formula_not_set"),
        ("\\def\\x{a\\x}" + STATEMENT + "\\begin{proof}So $\\x$.\\end{proof}", SMALL, "macro_not_expanded"),
        (
            STATEMENT + "\\begin{proof}\\[x=y\\text{ by \\cite{a}}\\]\\end{proof}",
            Recipe(min_characters=1, min_displays=1, max_citations=1),
            "external_citation",
        ),
    ],
)  # fmt: skip
def test_a_proof_that_cannot_be_masked_says_why(body: str, recipe: Recipe, code: str) -> None:
    found = only(body, recipe)
    assert isinstance(found, Drop)
    assert found.code == code
    assert found.sentence


def test_ten_characters_are_enough_where_ten_are_asked() -> None:
    # "So   it\n is." is "So it is." with 9 characters
    found = only(
        STATEMENT + "\\begin{proof}So   it\n is.\\end{proof}", Recipe(min_characters=9, min_displays=0)
    )
    assert isinstance(found, Pair)


def test_what_is_referred_to_is_followed_through_statements_and_not_through_their_proofs() -> None:
    before = (
        "\\section{Sums}\\label{s}"
        "\\begin{thm}\\label{a}A.\\end{thm}\\begin{proof}By \\ref{never}.\\end{proof}"
        "\\begin{dfn}\\label{b}B, see \\ref{a}.\\end{dfn}"
        "Earlier. We have\n\\begin{equation}\\label{e}x=\\R\\end{equation} always. Later.\n\n"
    )
    source = read(
        before + STATEMENT + "\\begin{proof}By \\ref{b}, \\eqref{e}, \\ref{s} and \\ref{t}.\\end{proof}"
    )
    pair = dict(pairs(source, SMALL))[1]
    assert isinstance(pair, Pair)
    assert [(made.kind, made.labels, made.depth) for made in pair.closure] == [
        ("section", ("s",), 1), ("statement", ("a",), 2), ("statement", ("b",), 1), ("equation", ("e",), 1),
    ]  # fmt: skip
    assert pair.notes == ("section_reference",)
    assert pair.problem() == (
        "\\begin{theorem}\\label{t}Let $x\\in\\mathbb{R}$.\n\\end{theorem}\n\n"
        "\\textbf{Additional information.}\n\n"
        "\\section{Sums}\\label{s}\n\n"
        "\\begin{theorem}\\label{a}A.\n\\end{theorem}\n\n"
        "\\begin{definition}\\label{b}B, see \\ref{a}.\n\\end{definition}\n\n"
        "We have\n\\begin{equation}\\label{e}x=\\mathbb{R}\\end{equation} always."
    )


def test_an_equation_whose_sentence_refers_elsewhere_is_shown_alone() -> None:
    _, pair = pair_of(
        "By \\eqref{e}.",
        "\\begin{thm}\\label{z}Z.\\end{thm}By \\ref{z},\n\\begin{equation}\\label{e}x=1\\end{equation} so.\n\n",
    )
    assert [made.shown.text for made in pair.closure] == ["\\begin{equation}\\label{e}x=1\\end{equation}"]


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(min_characters=1, min_displays=0, closure_depth=1),
        Recipe(min_characters=1, min_displays=0, closure_targets=1),
        Recipe(min_characters=1, min_displays=0, closure_characters=60),
    ],
)
def test_a_proof_that_needs_too_much_of_its_paper_is_left_out(recipe: Recipe) -> None:
    before = "\\begin{thm}\\label{a}A.\\end{thm}\\begin{thm}\\label{b}\\ref{a}\\end{thm}"
    source = read(f"{before}{STATEMENT}\\begin{{proof}}By \\ref{{b}}.\\end{{proof}}")
    assert [found.code for _, found in pairs(source, recipe) if isinstance(found, Drop)] == [
        "closure_too_large"
    ]
    assert isinstance(dict(pairs(source, SMALL))[0], Pair)


ITS_PROOF = "\\begin{proof}By \\ref{it}, \\[secret=42\\] and so \\[y=7\\] as was claimed.\\end{proof}"
REMARK = "\\newtheorem{rem}{Remark}\\begin{rem}\\label{it}"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (
            f"{STATEMENT}We use\n\\begin{{enumerate}}\\item\\label{{it}}Facts.\\end{{enumerate}}\n{ITS_PROOF}",
            "Facts.",
        ),
        (
            f"{STATEMENT}{ITS_PROOF}\n\\begin{{figure}}x\\caption{{Facts.}}\\label{{it}}\\end{{figure}}",
            "Facts.",
        ),
        (f"{REMARK}Before.\n{STATEMENT}{ITS_PROOF} Behind.\\end{{rem}}", "Before.\n"),
        (f"{REMARK}Before.\n{STATEMENT}{ITS_PROOF} Behind.\\end{{rem}}", "Behind."),
        (f"\\begin{{thm}}\\label{{it}}Claim.\n{ITS_PROOF} Behind.\\end{{thm}}", "Claim."),
        (f"{STATEMENT}{ITS_PROOF} Facts:\n\\begin{{equation}}\\label{{it}}z=z\\end{{equation}}", "z=z"),
        (
            f"{STATEMENT}\n\n\\textbf{{Proof.}} It is. By \\ref{{it}}, \\[secret=42\\] \\qed and"
            " \\begin{equation}\\label{it}z=z\\end{equation}",
            "z=z",
        ),
    ],
    ids=[
        "list",
        "figure",
        "remark, before",
        "remark, behind",
        "theorem around it",
        "equation",
        "sentence that begins in it",
    ],
)
def test_what_a_proof_refers_to_is_shown_without_the_proof(body: str, shown: str) -> None:
    pair = only(body)
    assert isinstance(pair, Pair)
    assert "secret" in pair.proof.text
    problem = pair.problem()
    assert shown in problem
    assert "secret" not in problem
    assert "claimed" not in problem
    assert "documentclass" not in problem
    assert "newtheorem{thm}" not in problem


def test_no_proof_that_is_written_within_a_statement_is_shown_with_it() -> None:
    proofs = "\\begin{proof}One.\\end{proof}\\begin{proof}[Second proof]Two \\ref{never}.\\end{proof}"
    source = read(
        f"\\begin{{thm}}\\label{{t}}A.{proofs}\\end{{thm}}\\begin{{proof}}[Third proof]By \\ref{{t}}.\\end{{proof}}"
    )
    first = dict(pairs(source, SMALL))[0]
    assert isinstance(first, Pair)
    assert first.problem().split() == ["\\begin{theorem}\\label{t}A.", "\\end{theorem}"]


def test_both_labels_of_a_section_lead_to_its_title() -> None:
    _, pair = pair_of("By \\ref{s} and \\ref{u}.", "\\section{Sums}\\label{s}Text.\\label{u}\n\n")
    assert "\\section{Sums}\\label{s}\\label{u}" in pair.problem()


@pytest.mark.parametrize(
    "inside", ["\\begin{thm}Secret.\\end{thm}", "\\paragraph{Secret}"], ids=["statement", "section"]
)
def test_a_label_behind_a_proof_that_names_something_of_it_is_refused(inside: str) -> None:
    found = only(f"{STATEMENT}\\begin{{proof}}By \\ref{{it}}, {inside} so.\\end{{proof}}\\label{{it}} Text.")
    assert isinstance(found, Drop)
    assert found.code == "reference_into_proof"


def test_a_proof_that_states_what_it_proves_is_refused() -> None:
    found = only(
        "\\begin{proof}[Proof of Theorem \\ref{t}]\\begin{thm}\\label{t}A.\\end{thm} So.\\end{proof}"
    )
    assert isinstance(found, Drop)
    assert found.code == "statement_in_proof"


def test_words_of_the_preamble_explain_nothing() -> None:
    source, pair = pair_of("So $x=1$.")
    symbols = [{"symbol": "x", "quote": "\\documentclass{article}"}]
    found = explanations(source, pair, json.dumps({"symbols": symbols, "external": False}))
    assert isinstance(found, Drop)
    assert found.code == "quote_not_found"


def test_what_blueprints_say_to_their_tools_is_in_no_instance() -> None:
    _, pair = pair_of("\\uses{a, b}\\leanok So $x$.")
    assert pair.proof.text == "So $x$."


def test_proofs_within_proofs_are_left_out_where_nobody_would_follow() -> None:
    source = read(STATEMENT + "\\begin{proof}A" * 3 + "\\end{proof}" * 3)
    codes = [found.code for _, found in pairs(source, Recipe(max_depth=1)) if isinstance(found, Drop)]
    assert codes.count("nested_too_deeply") == 1


# -- candidates ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        ("So \\[ x = \\R. \\] done", ["x = \\mathbb{R}"]),
        ("So $$x=1,$$ and", ["x=1"]),
        ("So \\[x=1\\,,\\] and", ["x=1"]),
        ("So \\[x=1\\,\\] and", ["x=1"]),
        ("\\begin{equation}\\label{e} x=1 \\end{equation} and", ["x=1"]),
        ("\\begin{equation}x=1\\tag{2}\\end{equation} and", ["x=1"]),
        ("\\begin{align*}x&=1\\\\&=2\\end{align*} and", ["\\begin{align*}x&=1\\\\&=2\\end{align*}"]),
        ("\\begin{align}x&=1\\label{a}\\\\&=2\\end{align} and", []),
        ("So \\[x=1\\text{ for all }y\\] and", []),
        ("So \\[x_{\\text{m}}=1\\] and", ["x_{\\text{m}}=1"]),
        ("Inline $x=1$ is none", []),
        ("But\n  $x=1$,\nalone on its line, is", ["x=1"]),
        ("The claim \\[x\\in\\R\\]", []),
        ("Not at the end \\[x\\in\\R\\] so \\[y=1\\]", ["x\\in\\mathbb{R}", "y=1"]),
    ],
)  # fmt: skip
def test_whole_formulas_without_words_can_be_masked(proof: str, expected: list[str]) -> None:
    assert contents(proof) == expected


# -- replies -------------------------------------------------------------------------------------------------
ONE = {"candidate": 1, "reason": "r", "step_type": "estimate", "proof_family": "direct", "why_not_local": "w"}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("not JSON", "not_json"),
        ('{"masks": [], "masks": []}', "not_json"),
        ("{}", "wrong_reply"),
        (json.dumps({"masks": [{**ONE, "formula": "x=2"}]}), "wrong_reply"),
        (json.dumps({"masks": [{**ONE, "candidate": "1"}]}), "wrong_reply"),
        (json.dumps({"masks": [{**ONE, "step_type": "magic"}]}), "wrong_reply"),
        (json.dumps({"masks": [{**ONE, "candidate": 3}]}), "unknown_candidate"),
        (json.dumps({"masks": [{**ONE, "candidate": 0}]}), "wrong_reply"),
        (json.dumps({"masks": [ONE, ONE]}), "candidate_twice"),
        (json.dumps({"masks": [{**ONE, "candidate": n} for n in (1, 2, 3, 4)]}), "too_many_masks"),
    ],
)
def test_a_reply_that_is_anything_but_numbers_of_candidates_is_refused(reply: str, code: str) -> None:
    found = chosen(reply, [Candidate(0, 1, ()), Candidate(2, 3, ())], Recipe())
    assert isinstance(found, Drop)
    assert found.code == code


def test_no_mask_is_an_answer() -> None:
    assert chosen('{"masks": []}', [], Recipe()) == []


def test_an_explanation_is_cut_out_of_the_paper_where_the_reply_quotes_it() -> None:
    source, pair = pair_of("So $x=1$.", "Let $T$ be\n a \\emph{tree} over $\\R$.\n\n")
    reply = {
        "symbols": [{"symbol": "T", "quote": "Let $T$ be a \\emph{tree} over $\\R$."}],
        "external": False,
    }
    found = explanations(source, pair, json.dumps(reply))
    assert not isinstance(found, Drop)
    assert [made.text for made in found] == ["Let $T$ be\n a \\emph{tree} over $\\mathbb{R}$."]
    assert source.text_of(found[0].spans[0]) == "Let $T$ be\n a \\emph{tree} over $\\R$."
    assert pair.problem(found).endswith(
        "\\textbf{Additional information.}\n\nLet $T$ be\n a \\emph{tree} over $\\mathbb{R}$."
    )


@pytest.mark.parametrize(
    ("quote", "external", "code"),
    [
        ("never written", False, "quote_not_found"),
        ("Twice.", False, "quote_not_unique"),
        ("So $x=1$.", False, "quote_in_proof"),
        ("Once.", True, "external_notation"),
        ("  ", False, "wrong_reply"),
    ],
)
def test_an_explanation_that_is_not_found_once_outside_of_the_proof_is_refused(
    quote: str, external: bool, code: str
) -> None:
    source, pair = pair_of("So $x=1$.", "Twice. Once. Twice.\n\n")
    reply = json.dumps({"symbols": [{"symbol": "x", "quote": quote}], "external": external})
    found = explanations(source, pair, reply)
    assert isinstance(found, Drop)
    assert found.code == code


def test_another_proof_of_the_same_statement_explains_nothing() -> None:
    source = read(
        f"{STATEMENT}\\begin{{proof}}So.\\end{{proof}}\\begin{{proof}}[Second proof]Put $s=2$.\\end{{proof}}"
    )
    pair = dict(pairs(source, SMALL))[0]
    assert isinstance(pair, Pair)
    found = explanations(
        source, pair, json.dumps({"symbols": [{"symbol": "s", "quote": "Put $s=2$."}], "external": False})
    )
    assert isinstance(found, Drop)
    assert found.code == "quote_in_proof"


def test_a_quotation_is_found_where_it_is_whatever_its_white_space() -> None:
    text = "One  two\n\tthree four"
    quotations = Quotations(text, Span(0, len(text)))
    for quote in ("two three", "wo  thr", "One two three four", "o\nt"):
        span = quotations.find(quote)
        assert isinstance(span, Span)
        assert " ".join(text[span.start : span.end].split()) == " ".join(quote.split())
    assert quotations.find("three five") == Drop(
        "quote_not_found", "The text does not have the words 'three five'"
    )


# -- lines ---------------------------------------------------------------------------------------------------
def lines(proof: str, number: int) -> list[Made[Mask] | Drop]:
    source, pair = pair_of(proof)
    among = candidates(source, pair)
    found = chosen(mined.reply(number), among, Recipe())
    assert not isinstance(found, Drop)
    return list(masked(source, pair, among, found[0], index=3, arxiv_id="p", written_by="masks.v1", seed=1))


def test_a_mask_replaces_its_formula_and_nothing_else() -> None:
    chosen_mask, random, truncated = lines("A \\[a=1\\] b  \\[c=2\\]\n d \\[e=3\\] f. G.", 1)
    assert isinstance(chosen_mask, Made)
    assert isinstance(random, Made)
    assert isinstance(truncated, Made)
    assert chosen_mask.line.mask_text == "A \\[[MASK]\\] b  \\[c=2\\]\n d \\[e=3\\] f. G."
    assert chosen_mask.line.mask_content == "a=1"
    assert truncated.line.mask_text == "A \\[[MASK]\\] b  \\[c=2\\]"
    assert truncated.line.reference_solution == "A \\[a=1\\] b  \\[c=2\\]"
    assert random.line.mask_content in ("c=2", "e=3")
    variants = [made.line for made in (chosen_mask, random, truncated)]
    assert [(line.index, line.variant, line.variant_of) for line in variants] == [
        (3, "", None), (4, "random", 3), (5, "truncated", 3),
    ]  # fmt: skip


def test_a_proof_without_a_display_behind_the_mask_ends_with_its_sentence() -> None:
    *_, truncated = lines("A \\[a=1\\] b. C.", 1)
    assert isinstance(truncated, Made)
    assert truncated.line.mask_text == "A \\[[MASK]\\] b."


def test_a_variant_that_cannot_be_made_says_why() -> None:
    assert [made.code for made in lines("A \\[a=1\\] b.", 1) if isinstance(made, Drop)] == [
        "no_other_candidate", "nothing_to_truncate",
    ]  # fmt: skip


def test_a_paper_that_has_the_mark_of_a_mask_itself_is_refused() -> None:
    assert [made.code for made in lines("The [MASK] of \\[a=1\\] b.", 1) if isinstance(made, Drop)] == [
        "mask_in_source"
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "\\[x=1\\]", "$x$\n", "\\[,,,,", "\\[x\\label{", "\\[\\text{", "\\eqref{e}", "\\uses{", ". ", "\\begin{a}",
        "\\leanok", "\\[x\\]\\ref{t}", "\\\\,",
    ],
)  # fmt: skip
def test_a_flood_takes_time_in_proportion(piece: str) -> None:
    def work(text: str) -> None:
        source = read(text)
        for _, found in pairs(source, SMALL):
            if isinstance(found, Pair):
                candidates(source, found)

    def write(size: int) -> str:
        return f"{STATEMENT}\\begin{{proof}}{piece * (size // len(piece))}\\end{{proof}}"

    assert grows_in_proportion(work, write, 6_000, 24_000, 96_000)


@pytest.mark.slow
def test_many_proofs_take_time_in_proportion() -> None:
    def work(given: tuple[Outline, list[Pair]]) -> None:
        for pair in given[1]:
            candidates(given[0], pair)

    def write(size: int) -> tuple[Outline, list[Pair]]:
        proof = f"{STATEMENT}\\begin{{proof}}So \\[x=1\\] and \\[y=2\\] hold.\\end{{proof}}\n"
        source = read(proof * (size // len(proof)))
        found = [pair for _, pair in pairs(source, SMALL) if isinstance(pair, Pair)]
        assert len(found) == size // len(proof)
        return source, found

    assert grows_in_proportion(work, write, 8_000, 32_000)


# -- real sources --------------------------------------------------------------------------------------------
# Every chapter of the longest sources by day, and all of their proofs by night.
LONGEST = {"hott": 4, "pfr": 3}


def by_day_and_night(names: Iterable[str]) -> list[Any]:
    by_night = [pytest.param(name, 1, marks=pytest.mark.night) for name in names if name in LONGEST]
    return [*((name, LONGEST.get(name, 1)) for name in names), *by_night]


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize(("name", "every"), by_day_and_night(sources.SOURCES))
def test_what_proofs_refer_to_is_what_an_independent_scan_finds(name: str, every: int) -> None:
    rows = list(mined.closures(name, every))
    assert len(rows) > (50 if name in LONGEST else 0)
    assert [(number, ours ^ theirs) for number, ours, theirs in rows if ours != theirs] == []


@pytest.mark.real_data
def test_references_reach_as_many_declared_dependencies_of_pfr_as_were_counted_before() -> None:
    # CONSTRUCTION.md 1.3: references cover 368 of the 424 that authors declare
    assert mined.uses_of_pfr()[:2] == (424, 368)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize(("name", "every"), by_day_and_night(["pfr", "paper-benning-crit", "paper-roetz22"]))
def test_masks_of_real_proofs_are_faithful_and_make_a_release(name: str, every: int, tmp_path: Path) -> None:
    source, files = mined.outline_of(name), sources.files_of(name)
    made: list[Made[Mask]] = []
    for pair, among, found in mined.masks_of(name, every):
        assert isinstance(found[0], Made), found[0]
        assert isinstance(found[1], Made) or len(among) == 1
        made += [one for one in found if isinstance(one, Made)]
        whole = pair.proof.text
        for one in found:
            if isinstance(one, Made):
                line = one.line
                assert line.mask_text.count(MASK) == 1
                assert line.mask_text.replace(MASK, line.mask_content) == line.reference_solution
                assert whole.startswith(line.reference_solution)
                assert not re.search(
                    r"\\(?:text|mbox|intertext)\s*\{[^{}]*[A-Za-z]{2}|\\label|\\tag", line.mask_content
                )
                strings = {
                    key for key, value in line.model_dump().items() if isinstance(value, str) and value
                }
                assert one.provenance.keys() == strings
                for origin in one.provenance.values():
                    assert origin.written_by or origin.program
                    assert all(files[place.file][place.start : place.end].strip() for place in origin.places)
                if one.provenance["mask_content"].places != one.provenance["mask_text"].places:
                    spans = [c.origins for c in among if whole[c.start : c.end] == line.mask_content]
                    assert any(line.mask_content in source.expanded(span).text for (span, *_) in spans)
    records = list(read_release(mined.written(made, tmp_path / "release.jsonl")))
    assert all(isinstance(record, InstanceRecord) for record in records)
    assert len(records) == len(made) > 0
