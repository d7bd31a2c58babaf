"""Which formulas have terms in common."""

import pytest

from retrieval.formulas import formula_terms, formulas, tokens
from tests.growing import takes_less_than


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$a$ and $$b$$", ["a", "b"]),
        (r"\(a\) and \[b\]", ["a", "b"]),
        (r"\begin{align*}a&=b\end{align*} text", ["a&=b"]),
        (r"costs \$5 and \$6", []),
        (r"$a\$b$", [r"a\$b"]),
        ("no formula", []),
        ("$never closed", ["never closed"]),
        ("a % $b$\n$c$", ["c"]),
    ],
)
def test_formulas_are_found_by_their_delimiters(text, found):
    assert formulas(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"x^{2} \le y_{i}", r"x^2\leq y_i"),
        (r"\mathcal{H}_n", r"{\mathcal H}_{n}"),
        (r"\dfrac{a}{b}", r"\frac ab"),
        (r"\left( x \right)", "(x)"),
        (r"f\colon X\longrightarrow Y", r"f: X \to Y"),
        ("a ≤ b", r"a \le b"),
        (r"\varepsilon\,\lvert x\rvert", r"\epsilon|x|"),
    ],
)
def test_ways_of_writing_are_the_same_tokens(one, other):
    assert tokens(one) == tokens(other)
    assert formula_terms(f"${one}$") == formula_terms(f"${other}$")


def test_a_bare_formula_has_the_terms_of_the_formula():
    assert formula_terms("x^2 + y^2 = z^2") == formula_terms("$x^2+y^2=z^2$")


def test_words_without_signs_of_a_formula_have_no_terms():
    assert formula_terms("every compact set is closed") == []
    assert formula_terms("the case n = 2 of a theorem") == []


def shared(one: str, other: str) -> float:
    first, second = set(formula_terms(one)), set(formula_terms(other))
    return len(first & second) / len(first | second)


def test_renamed_variables_share_the_anonymous_runs():
    asked = r"$\sum_{n=1}^{\infty} a_n < b$"
    renamed, other = r"$\sum_{k=1}^{\infty} c_k < M$", r"$\int_0^1 f(t)\,dt = M$"
    assert shared(asked, renamed) > 2 * shared(asked, other)


def test_a_run_of_equal_letters_is_not_one_of_different_letters():
    # Of a run of anonymous variables it is known which are equal: xyx is uvu and is not uvw.
    assert set(formula_terms("$x+x$")) & set(formula_terms("$u+u$")) > (
        set(formula_terms("$x+x$")) & set(formula_terms("$u+v$"))
    )


def test_runs_do_not_cross_from_one_formula_into_the_next():
    together, apart = set(formula_terms("$a b$")), set(formula_terms("$a$ and $b$"))
    assert apart < together


HOSTILE = {
    "open braces": "{" * 100_000,
    "nested braces": "{" * 50_000 + "x" + "}" * 50_000,
    "closed braces": "}" * 100_000,
    "dollars": "$" * 100_001,
    "environments": "\\begin{align}" * 8_000,
    "backslashes": "\\" * 100_000,
    "fonts": "\\mathcal" * 12_000,
    "escaped dollars": "$" + "\\$" * 50_000,
    "control characters": "$" + "".join(map(chr, range(32))) * 3_000,
    "lone surrogates": "$" + "\ud800" * 100_000,
    "one token": "$\\" + "a" * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(text):
    assert takes_less_than(2, lambda: [formula_terms(text), formula_terms(f"${text}$")])
