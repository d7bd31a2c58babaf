import pytest

from benchmark.templatetags.titles import title_math


def test_formulas_of_a_title_are_marked_and_everything_is_escaped():
    shown = title_math("Limits in $L^2$ & $a<b$")
    assert shown == (
        'Limits in <span class="math" data-display="false" data-source="$L^2$">L^2</span> &amp; '
        '<span class="math" data-display="false" data-source="$a&lt;b$">a&lt;b</span>'
    )


@pytest.mark.parametrize(
    ("title", "shown"), [("Plain", "Plain"), ("Costs $5", "Costs $5"), ("<b>", "&lt;b&gt;")]
)
def test_a_title_without_pairs_of_dollars_stays_text(title, shown):
    assert title_math(title) == shown
