"""What counts as a word of a text in LaTeX."""

import pytest

from retrieval.words import plain, terms
from tests.growing import takes_less_than


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"L\"owenheim--Skolem", "Löwenheim–Skolem"),
        (r"Poincar\'{e} and \v{C}ech", "Poincaré and Čech"),
        (r"Erd\H{o}s, G{\"o}del, \L{}o\'s, S{\o}rensen, Mart\'{\i}n", "Erdős, Gödel, Łoś, Sørensen, Martín"),
        (r"Gauss's sums", "Gauss sum"),
        ("compact sets", "a compact set"),
        (r"$A \subseteq B$", "subset"),
        ("$A ⊆ B$", r"$A \subset B$"),
        (r"over $\mathbb{R}$", r"over $\R$"),
        (r"$\mathbb Z$-modules", "integer modules"),
        (r"\emph{normal} \textbf{subgroup}", "normal subgroup"),
        ("finite % not infinite", "finite"),
        (r"see \cite[Thm.~2]{smith} and \ref{thm:main}", "see"),
        ("!!a{formula} of !!^{derivation}s", "formula of derivations"),
        (r"\mAlphaBeta", "alpha beta"),
        ("𝒢-invariant", "g-invariant"),
    ],
)
def test_ways_of_writing_are_the_same_terms(one, other):
    assert set(terms(other)) <= set(terms(one))
    assert terms(one)


def test_a_hyphenated_word_is_found_by_its_parts_and_as_one_word():
    assert set(terms("semi-simple")) >= set(terms("semisimple")) | set(terms("simple"))


def test_stop_words_are_no_terms():
    assert terms("let this be an element of the set") == terms("element set") == ["element", "set"]


def test_letters_of_formulas_are_terms():
    assert terms("a function $f_n$") == ["function", "f", "n"]


def test_words_are_kept_in_order_and_as_often_as_they_occur():
    assert terms("group of groups of rings") == ["group", "group", "ring"]


def test_other_alphabets_are_words_as_well():
    assert terms("Теорема о неявной функции")


def test_what_a_model_reads_has_words_for_commands_and_no_markup():
    assert plain(r"\begin{thm}\label{a} Let $f\colon X \to \mathbb{R}$ be \emph{continuous}.\end{thm}") == (
        "Let f X to real be continuous ."
    )


HOSTILE = {
    "braces": "{" * 100_000,
    "backslashes": "\\" * 100_000,
    "accents": "\\'{" * 33_000,
    "hyphens": "-" * 50_000 + "a-" * 25_000,
    "one word": "a" * 100_000,
    "labels that never close": "\\label{" * 14_000,
    "optional arguments": "\\cite[" * 16_000,
    "per cent": "%" * 100_000,
    "control characters": "".join(map(chr, range(32))) * 3_000,
    "combining marks": "a" + "\u0301" * 100_000,
    "apostrophes": "a'" * 50_000,
    "lone surrogates": "\ud800" * 100_000,
    "blanks": " " * 100_000,
    "exclamation marks": "!!" * 50_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(text):
    assert takes_less_than(2, lambda: terms(text))
