"""HALF_UP on the exact ratio (STATISTICS.md section 0)."""

import pytest

from stats.core.display import minus, percent, ratio, rounded, rounded_percent, signed


@pytest.mark.parametrize(
    ("numerator", "denominator", "shown"),
    [(14, 200, "7.0"), (1, 16, "6.3"), (57, 160, "35.6"), (7, 42, "16.7"), (0, 3, "0.0"), (405, 677, "59.8")],
)
def test_a_percentage_is_rounded_half_up_on_its_exact_ratio(numerator, denominator, shown):
    # 1/16 = 6.25 % is a true half: HALF_UP gives 6.3, Python's round gives 6.2.
    assert percent(numerator, denominator) == shown


def test_halves_go_away_from_zero_on_both_sides():
    assert ratio(5, 2, places=0) == "3"
    assert ratio(-5, 2, places=0) == "-3"


def test_a_value_that_rounds_to_zero_has_no_minus_sign():
    assert ratio(-1, 1000, places=1) == "0.0"


def test_floats_are_rounded_on_their_shortest_decimal_form():
    assert rounded(2.675, places=2) == "2.68"  # round(2.675, 2) is 2.67
    assert rounded(0.9522059, places=3) == "0.952"
    assert rounded_percent(0.0755) == "7.6"
    assert rounded(1e-7, places=3) == "0.000"


def test_numbers_of_any_size_are_rounded():
    assert rounded(-1e60) == "-1" + 60 * "0" + ".000"
    assert rounded(0.0005, places=0) == "0"
    assert rounded(1.05, places=1) == "1.1"


def test_nothing_is_shown_for_a_ratio_over_zero():
    with pytest.raises(ValueError, match="reason"):
        percent(0, 0)


def test_negative_numbers_have_a_minus_sign_on_pages_and_names_keep_their_hyphens() -> None:
    assert minus("-4.0 to 0.3") == "−4.0 to 0.3"
    assert minus("0.65 [-0.20, 2.10]") == "0.65 [−0.20, 2.10]"
    assert minus("gpt-4, math-AG") == "gpt-4, math-AG"
    assert [signed(text) for text in ("0.3", "0.00", "-0.30")] == ["+0.3", "0.00", "−0.30"]
