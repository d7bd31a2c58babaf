"""Formulas placed for paper. Numbers are KaTeX's font metrics, in em; Chromium is the oracle in tests/browser."""

import pytest

from latex import FormulaError, Piece, Unplaced, typeset
from tests.latex.kinds_of_formulas import KINDS


def only_piece(latex: str, display: bool = False) -> Piece:
    ((piece,),) = typeset(latex, display).lines
    return piece


def glyphs(piece: Piece) -> list[tuple[str, str]]:
    return [(op["text"], op["font"]) for op in piece.ops if op["t"] == "g"]


def test_a_letter_has_its_own_font_width_and_place():
    piece = only_piece("x")
    assert glyphs(piece) == [("x", "Math-Italic")]
    assert piece.width == pytest.approx(0.572, abs=1e-3)  # advance of x in KaTeX_Math-Italic
    assert (piece.ops[0]["x"], piece.ops[0]["y"], piece.ops[0]["size"]) == (0, 0, 1)


def test_an_exponent_is_smaller_and_raised():
    _, two = only_piece("x^2").ops
    assert two["size"] == 0.7
    assert two["y"] == pytest.approx(-0.3630, abs=1e-3)  # TeX's sup2 of the text style
    assert two["x"] == pytest.approx(0.572, abs=1e-3)


def test_an_inequality_sign_is_struck_through_where_it_stands():
    stroke, equals = only_piece(r"\ne").ops
    assert (stroke["text"], equals["text"]) == ("\ue020", "=")  # KaTeX keeps its stroke in the private area
    assert stroke["x"] == equals["x"] == 0


def test_the_bar_of_a_fraction_is_as_wide_as_its_widest_part():
    piece = only_piece(r"\frac{a}{b+c}", display=True)
    (bar,) = [op for op in piece.ops if op["t"] == "r"]
    assert bar["w"] == pytest.approx(piece.width - 2 * 0.12)  # without the two empty delimiters
    assert bar["h"] == pytest.approx(0.04)


def test_lines_break_where_katex_breaks_them_and_only_there():
    made = typeset(r"a=b+c\\d", False)
    assert [len(line) for line in made.lines] == [3, 1]


def test_a_number_stands_apart_from_its_formula():
    made = typeset(r"a=b\tag{17}", True)
    assert made.tag is not None
    assert "".join(text for text, _ in glyphs(made.tag)) == "(17)"


@pytest.mark.parametrize("latex", KINDS)
def test_every_kind_of_formula_can_be_placed(latex: str):
    made = typeset(latex, True)
    assert sum(len(piece.ops) for line in made.lines for piece in line) > 0


def test_a_formula_that_katex_refuses_is_refused_with_its_reason():
    with pytest.raises(FormulaError, match="Undefined control sequence"):
        typeset(r"\nosuch", False)


def test_a_glyph_that_no_font_has_is_said_and_not_left_out():
    with pytest.raises(Unplaced, match="no glyph for"):
        typeset(r"\text{若 }x", False)
