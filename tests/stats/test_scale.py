"""Scales as objects: what they refuse, and what follows from them."""

import re
from pathlib import Path

import pytest

from stats.core.scale import NAMED, ScaleError, scale_from

REFEREE = {
    "level": "ordinal",
    "values": ["flawless", "minor", "major", "reject"],
    "success": ["flawless", "minor"],
}


def test_a_scale_of_one_s_own_knows_its_order_and_its_successes():
    scale = scale_from(REFEREE)
    assert [scale.height(value) for value in scale.values] == sorted(map(scale.height, scale.values))[::-1]
    assert scale.success_in_words == "flawless or minor"
    assert scale.primary_coefficient == "krippendorff_alpha_ordinal"
    upside_down = scale_from({**REFEREE, "values": REFEREE["values"][::-1]})
    assert upside_down.height("flawless") > upside_down.height("minor") > upside_down.height("reject")


@pytest.mark.parametrize("scale", [scale for scale in NAMED.values() if scale.ranked and scale.success])
def test_the_successes_of_a_named_scale_are_its_best_values(scale):
    """`best_first` is declared with the scale, and is True unless it says otherwise."""
    best = sorted(scale.values, key=scale.height)[-len(scale.success) :]
    assert set(best) == scale.success


def test_different_successes_pass_together():
    scale = scale_from(REFEREE)
    # flawless, minor, reject: two of three are successes, though no value has a majority
    assert scale.passed_by_majority(["flawless", "minor", "reject"])
    assert scale.passed_unanimously(["flawless", "minor"])
    assert not scale.passed_unanimously(["flawless", "minor", "reject"])
    assert not scale.passed_by_majority(["minor", "reject"])  # half is not more than half
    assert not scale.passed_by_majority([])
    assert not scale.passed_unanimously([])


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("referee", "unknown scale 'referee'"),
        (3, "a name or a table"),
        ({**REFEREE, "order": 1}, "no field 'order'"),
        ({**REFEREE, "level": "ratio"}, "level 'ratio'"),
        ({**REFEREE, "level": ["ordinal"]}, "level \\['ordinal'\\]"),
        ({**REFEREE, "values": "flawless"}, "list of texts"),
        ({**REFEREE, "values": [1, 2]}, "list of texts"),
        ({**REFEREE, "values": ["flawless"]}, "between 2 and 25"),
        ({**REFEREE, "values": ["Minor", "minor"], "success": ["minor"]}, "occurs twice"),
        ({**REFEREE, "values": ["a\nb", "c"], "success": ["c"]}, "without line breaks"),
        ({**REFEREE, "values": ["=1+1", "c"], "success": ["c"]}, "meaning of its own"),
        ({**REFEREE, "values": ["split", "c"], "success": ["c"]}, "meaning of its own"),
        ({**REFEREE, "values": ["abstain", "c"], "success": ["c"]}, "meaning of its own"),
        ({**REFEREE, "success": []}, "needs `success`"),
        ({**REFEREE, "correctness": "yes"}, "true or false"),
        ({"level": "nominal", "values": ["a", "b"], "correctness": True}, "correctness needs `success`"),
        ({**REFEREE, "success": ["good"]}, "'good' is not one of"),
        ({**REFEREE, "success": ["flawless", "major"]}, "without a gap"),
        ({**REFEREE, "success": REFEREE["values"]}, "nothing can fail"),
        ({"level": "interval", "values": ["low", "high"]}, "not a number"),
        ({"level": "interval", "values": ["0", "2", "1"]}, "lowest to the highest"),
        ({"level": "interval", "values": ["0", "nan"]}, "not a number of"),
        ({"level": "interval", "values": ["1", "1.0"]}, "occurs twice"),
        ({"level": "interval", "values": ["0", "1", "2"], "success": ["0"]}, "highest values"),
    ],
)
def test_what_is_no_scale_is_refused_with_its_reason(table, reason):
    with pytest.raises(ScaleError, match=reason):
        scale_from(table)


def test_a_success_or_anchor_off_the_scale_is_refused():
    with pytest.raises(ScaleError, match="'right' is not one of correct, inconclusive, incorrect"):
        scale_from("correctness", positive="right")
    with pytest.raises(ScaleError, match="'perfect' is not one of"):
        scale_from(REFEREE, anchors={"perfect": "no"})
    with pytest.raises(ScaleError, match="in `success`"):
        scale_from(REFEREE, positive="minor")


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        (["reject", "minor"], ("1", "2")),
        ([*"abcdefghijk"], (*"123456789", "", "")),
        ([*"01234567"], tuple("01234567")),
        (["0", "0.5", "1", "1.5"], ("0", "", "1", "")),
        ([str(points) for points in range(11)], (*"0123456789", "")),
    ],
)
def test_a_digit_picks_the_value_that_it_is_or_a_place_where_no_value_is_one(values, keys):
    level = "nominal" if values[0].isalpha() else "interval"
    assert scale_from({"level": level, "values": values}).number_keys == keys


def test_numbers_have_one_spelling():
    scale = scale_from({"level": "interval", "values": ["0", "0.50", "1.0", "10"], "success": ["10"]})
    assert scale.values == ("0", "0.5", "1", "10")
    assert scale.canonical(" 10.0 ") == "10"
    assert scale.canonical("-0") == "0"
    for bad in ("2", "Infinity", "1e9999999", "ten", ""):
        with pytest.raises(ScaleError):
            scale.canonical(bad)


def test_the_document_lists_the_scales_that_a_rubric_may_name():
    page = (Path(__file__).parents[2] / "docs" / "rubrics.md").read_text("utf-8")
    listed = page.split("`scale` may name one of")[1].split("\n\n")[0]
    assert re.findall("`([a-z_]+)`", listed) == list(NAMED)
