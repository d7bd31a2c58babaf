"""Random expressions: written in another way never "no", changed never "yes"."""

from hypothesis import given, settings
from hypothesis import strategies as st

from algebra import compare

LETTERS = st.sampled_from(["x", "y", "n", r"\alpha", "a_{1}"])
NUMBERS = st.integers(1, 9).map(str)


def _grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(parts, parts)
    return st.one_of(
        pairs.map(lambda p: f"\\left({p[0]} + {p[1]}\\right)"),
        pairs.map(lambda p: f"\\left({p[0]} - {p[1]}\\right)"),
        pairs.map(lambda p: f"{p[0]} \\cdot {p[1]}"),
        pairs.map(lambda p: f"\\frac{{{p[0]}}}{{{p[1]}}}"),
        st.tuples(parts, st.integers(2, 3)).map(lambda p: f"\\left({p[0]}\\right)^{{{p[1]}}}"),
        parts.map(lambda p: f"\\sin\\left({p}\\right)"),
        parts.map(lambda p: f"\\exp\\left({p}\\right)"),
        parts.map(lambda p: f"\\sqrt{{{p}}}"),
        parts.map(lambda p: f"\\left|{p}\\right|"),
    )


EXPRESSIONS = st.recursive(st.one_of(LETTERS, NUMBERS), _grown, max_leaves=6)
SAME = st.sampled_from(
    [
        "1 \\cdot {}",
        "{} + 0",
        "\\frac{{2 \\cdot {}}}{{2}}",
        "\\left({}\\right)^{{1}}",
        "{{{}}}",
        "-\\left(-\\left({}\\right)\\right)",
        "z - z + {}",
    ]
)
CHANGED = st.sampled_from(
    ["{} + 1", "{} - \\frac{{1}}{{7}}", "{} + 10^{{-6}}", "{} + \\pi", "{} + 10^{{-50}}", "{} + x^2 + 1"]
)


@settings(max_examples=80, deadline=None)
@given(EXPRESSIONS, SAME)
def test_an_expression_written_otherwise_is_never_told_apart(expression, form):
    assert compare(expression, form.format(expression)).value != "no"
    assert compare(form.format(expression), expression).value != "no"


@settings(max_examples=80, deadline=None)
@given(EXPRESSIONS, CHANGED)
def test_an_expression_with_something_added_is_never_taken_for_equal(expression, form):
    assert compare(expression, form.format(expression)).value != "yes"
    assert compare(form.format(expression), expression).value != "yes"


@settings(max_examples=40, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
def test_products_of_sums_are_equal_to_their_expansion(a, b, c):
    left = f"\\left({a}\\right)\\left({b} + {c}\\right)"
    right = f"\\left({a}\\right)\\left({b}\\right) + \\left({a}\\right)\\left({c}\\right)"
    assert compare(left, right).value != "no"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="xyfn12+-*/^_(){}[]|!,.=<>\\ ", max_size=40), st.text(max_size=40))
def test_any_text_gets_a_verdict(left, right):
    assert compare(left, right).value in ("yes", "no", "unknown")
