"""Pictures of scores: true to their numbers, readable without sight, safe with hostile names."""

from datetime import date
from xml.etree import ElementTree

import pytest

from reports.core.figures.confusion import confusion_matrix
from reports.core.figures.forest import LEFT, RIGHT, WIDTH, ForestMark, Group, forest_plot
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.figures.progress import LEFT as PROGRESS_LEFT
from reports.core.figures.progress import RIGHT as PROGRESS_RIGHT
from reports.core.figures.progress import progress_curve
from reports.core.figures.reliability import reliability_curve
from reports.core.figures.shares import share_bars
from reports.core.figures.spans import LEFT as SPAN_LEFT
from reports.core.figures.spans import RIGHT as SPAN_RIGHT
from reports.core.figures.spans import Span, rank_scale, round_scale, span_plot
from reports.core.figures.svg import fitting_axis
from stats.core.estimate import Estimate

SVG = "{http://www.w3.org/2000/svg}"
JUDGE = ForestMark("judge", "Fixed judge", 16 / 30, (0.3614, 0.6977))
CORRECTED = ForestMark("corrected", "Corrected", 0.52, (0.5, 0.6))
HOSTILE = '</text><script>alert("x")</script>&'


def drawn(svg):
    return ElementTree.fromstring(svg)


def words(svg):
    return [node.text for node in drawn(svg).iter(f"{SVG}text")]


def figures():
    return [
        forest_plot("ToolAcc", [Group("aurora", [JUDGE, CORRECTED])], key="f"),
        confusion_matrix("Audit", {"tp": 25, "fp": 3, "fn": 2, "tn": 20}, key="c"),
        share_bars("Classes", ["success", "other"], {"aurora": {"success": 16, "other": 14}}, key="s"),
    ]


@pytest.mark.parametrize("svg", figures())
def test_a_figure_has_a_role_a_title_and_a_description_that_its_ids_point_to(svg):
    root = drawn(svg)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").get("id") == root.get("aria-labelledby")
    assert root.find(f"{SVG}desc").get("id") == root.get("aria-describedby")


@pytest.mark.parametrize("svg", figures())
def test_a_figure_has_no_inline_style_script_or_link(svg):
    for node in drawn(svg).iter():
        assert node.tag.removeprefix(SVG) not in ("script", "style", "a", "image", "use", "foreignObject")
        assert not any(name == "style" or name.startswith("on") or "href" in name for name in node.attrib)


@pytest.mark.parametrize("svg", figures())
def test_a_figure_scales_with_its_place(svg):
    root = drawn(svg)
    assert root.get("viewBox")
    assert root.get("width") is None


@pytest.mark.parametrize(
    "svg",
    [
        forest_plot(HOSTILE, [Group(HOSTILE, [ForestMark("judge", HOSTILE, None, None, HOSTILE)])], key="f"),
        share_bars(HOSTILE, [HOSTILE], {HOSTILE: {HOSTILE: 1}}, key="s"),
    ],
)
def test_names_that_look_like_markup_stay_text(svg):
    assert not list(drawn(svg).iter(f"{SVG}script"))
    assert HOSTILE in words(svg)


def test_the_forest_plot_places_value_and_interval_on_its_axis():
    root = drawn(forest_plot("ToolAcc", [Group("aurora", [CORRECTED])], key="f"))
    # the largest end is .6, so the axis runs from 0 to 60 % over RIGHT - LEFT units
    scale = (RIGHT - LEFT) / 0.6
    interval = next(line for line in root.iter(f"{SVG}line") if line.get("stroke-width") == "2")
    assert float(interval.get("x1")) == pytest.approx(LEFT + 0.5 * scale, abs=0.01)
    assert float(interval.get("x2")) == pytest.approx(LEFT + 0.6 * scale, abs=0.01)
    diamond = list(root.iter(f"{SVG}polygon"))[-1]
    assert float(diamond.get("points").split(",")[0]) == pytest.approx(LEFT + 0.52 * scale, abs=0.01)


def test_the_forest_plot_tells_the_corrections_of_two_audits_apart():
    second = ForestMark("corrected", "Corrected (second)", 0.25, (0.1, 0.4))
    svg = forest_plot("ToolAcc", [Group("aurora", [JUDGE, CORRECTED, second])], key="f")
    found = [element.text for element in drawn(svg).iter() if element.tag.endswith("text")]
    assert f"1: {CORRECTED.label}" in found
    assert f"2: {second.label}" in found
    assert JUDGE.shown in found
    assert f"1: {CORRECTED.shown}" in found
    assert f"2: {second.shown}" in found


def test_the_forest_plot_says_its_numbers_in_words_rounded_half_up():
    svg = forest_plot("ToolAcc", [Group("aurora", [JUDGE])], key="f")
    assert "53.3 [36.1, 69.8]" in words(svg)
    assert "aurora, Fixed judge: 53.3 [36.1, 69.8]" in drawn(svg).find(f"{SVG}desc").text


def test_a_missing_value_is_said_and_not_drawn_at_zero():
    svg = forest_plot(
        "ToolAcc", [Group("aurora", [ForestMark("corrected", "C", None, None, "not known yet")])], key="f"
    )
    assert "not known yet" in words(svg)
    assert len(list(drawn(svg).iter(f"{SVG}polygon"))) == 1  # the legend's


def test_before_and_after_differ_in_shape_not_only_in_colour():
    root = drawn(forest_plot("ToolAcc", [Group("aurora", [JUDGE, CORRECTED])], key="f"))
    assert list(root.iter(f"{SVG}circle"))
    assert list(root.iter(f"{SVG}polygon"))


def test_every_mark_stays_inside_the_picture():
    root = drawn(forest_plot("ToolAcc", [Group("a", [ForestMark("judge", "J", 1.0, (0.98, 1.0))])], key="f"))
    places = [float(line.get(end)) for line in root.iter(f"{SVG}line") for end in ("x1", "x2")]
    assert min(places) >= 0
    assert max(places) <= WIDTH


@pytest.mark.parametrize(
    ("largest", "end", "ticks"),
    [(0.055, 0.06, 7), (0.19, 0.2, 5), (0.6977, 0.8, 5), (1.0, 1.0, 6), (0.0, 0.01, 2)],
)
def test_the_axis_ends_at_the_first_tick_past_the_largest_value(largest, end, ticks):
    axis = fitting_axis([largest], 0, 100)
    assert axis.end == pytest.approx(end)
    assert len(axis.ticks) == ticks


def test_the_matrix_shows_the_judge_in_rows_and_the_experts_in_columns():
    root = drawn(confusion_matrix("Audit", {"tp": 25, "fp": 3, "fn": 2, "tn": 20}, key="c"))
    numbers = {t.text: (float(t.get("x")), float(t.get("y"))) for t in root.iter(f"{SVG}text")}
    assert numbers["25"][1] == numbers["3"][1] < numbers["2"][1] == numbers["20"][1]
    assert numbers["25"][0] == numbers["2"][0] < numbers["3"][0] == numbers["20"][0]


def test_bars_divide_their_width_as_the_outputs_divide():
    root = drawn(share_bars("Classes", ["a", "b", "c"], {"x": {"a": 10, "b": 0, "c": 30}}, key="s"))
    bars = [float(r.get("width")) for r in root.iter(f"{SVG}rect")][3:]  # after the legend's three
    assert len(bars) == 2
    assert bars[1] == pytest.approx(3 * bars[0])


def more_figures():
    cells = {(0, 1): Shaded("+23.3", "0.0 to +44.1", 1), (1, 0): Shaded("-23.3", "-44.1 to 0.0", -1)}
    spans = [
        Span("aurora", 0.65, (-0.2, 2.1), "0.65 [-0.20, 2.10]"),
        Span("basalt", None, None, "not finite"),
    ]
    days = [(date(2026, 11, 2), 5), (date(2026, 11, 4), 9)]
    return [
        shaded_matrix("Differences", ["aurora", "basalt"], cells, key="m", reading="Row minus column."),
        span_plot("Strengths", spans, round_scale([-0.2, 2.1]), key="s", reading="Logarithms."),
        progress_curve("Grades", days, 12, key="p", until=date(2026, 11, 6)),
    ]


@pytest.mark.parametrize("svg", more_figures())
def test_the_newer_figures_are_titled_described_and_free_of_styles(svg):
    test_a_figure_has_a_role_a_title_and_a_description_that_its_ids_point_to(svg)
    test_a_figure_has_no_inline_style_script_or_link(svg)
    test_a_figure_scales_with_its_place(svg)


def test_a_matrix_gives_every_cell_in_words_and_escapes_names():
    cells = {(0, 1): Shaded("0.93", "89 % of 18", 4)}
    svg = shaded_matrix("M", [HOSTILE, "b"], cells, key="m", reading="Kappa.")
    assert not list(drawn(svg).iter(f"{SVG}script"))
    assert f"{HOSTILE}, b: 0.93 (89 % of 18)" in drawn(svg).find(f"{SVG}desc").text


@pytest.mark.parametrize(
    ("value", "level"), [(0.0, 0), (0.01, 1), (0.5, 3), (1.0, 4), (-0.3, -2), (-1.0, -4)]
)
def test_shades_grow_with_the_distance_from_zero(value, level):
    assert shade(value) == level


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([-44.1, 63.3], (-50, 0, 50, 100)),
        ([0.2, 0.4], (0.0, 0.1, 0.2, 0.3, 0.4)),
        ([], (0.0, 0.2)),
        ([-3.0], (-3.0, -2.0, -1.0, 0.0)),
    ],
)
def test_a_round_scale_holds_all_values_and_zero(values, ticks):
    scale = round_scale(values)
    assert scale.ticks == pytest.approx(ticks)
    assert scale.low <= min([0, *values])
    assert scale.high >= max([0, *values])


def test_a_span_is_placed_on_its_scale_and_a_missing_one_is_said_not_drawn():
    root = drawn(
        span_plot("S", [Span("a", 1.0, (0.0, 2.0), "1")], round_scale([0.0, 2.0]), key="s", reading="")
    )
    middle = (SPAN_LEFT + SPAN_RIGHT) / 2
    assert float(next(root.iter(f"{SVG}circle")).get("cx")) == pytest.approx(middle)
    bare = drawn(span_plot("S", [Span("a", None, None, "unknown")], rank_scale(3), key="s", reading=""))
    assert not list(bare.iter(f"{SVG}circle"))
    assert "unknown" in [node.text for node in bare.iter(f"{SVG}text")]


def test_progress_rises_at_its_days_and_runs_on_to_the_end():
    days = [(date(2026, 11, 2), 6), (date(2026, 11, 4), 12)]
    root = drawn(progress_curve("P", days, 12, key="p", until=date(2026, 11, 5)))
    points = [
        tuple(map(float, p.split(","))) for p in next(root.iter(f"{SVG}polyline")).get("points").split()
    ]
    left, right = PROGRESS_LEFT, PROGRESS_RIGHT
    third_day = left + (right - left) * 2 / 4  # of four days
    assert [x for x, _ in points] == pytest.approx([left, left, left, third_day, third_day, right])
    assert points[-1][1] < points[2][1] < points[0][1]


def test_a_reliability_curve_says_its_points_in_words_and_draws_each_with_its_interval():
    curve = [
        {"mean_score": score, "n": n, "share": Estimate(value=share, ci=ends, method="wilson")}
        for score, n, share, ends in ((0.12, 8, 0.25, (0.05, 0.6)), (0.9, 10, 1.0, None))
    ]
    drawing = reliability_curve("Reliability of <m>", curve, key="curve")
    assert "score 0.12: 25.0 % of 8; score 0.90: 100.0 % of 10." in drawing
    assert "Reliability of &lt;m&gt;" in drawing
    assert drawing.count("<circle") == 2
    assert drawing.count('class="fig-line-judge"') == 2  # the curve and the one interval there is
