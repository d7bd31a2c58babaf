"""Marked words: what was looked for, in any form, in text and nowhere else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latex
from retrieval import words
from search.searching.marking import marked

pytestmark = pytest.mark.no_database


def shown(body: str, query: str) -> str:
    html = "".join(block.section for block in latex.render(body, "latex").blocks)
    return marked(html, frozenset(words.terms(query)))


@pytest.mark.parametrize(
    ("body", "query", "found"),
    [
        ("Every compact set is closed.", "compactness of sets", ["compact", "set"]),
        (r"A \emph{compact} $compact$ \[ compact \] space", "compact", ["compact"]),
        ("semi-simple rings", "semisimple", ["semi-simple"]),
        ("AT&T, R&amp;D and the amp", "amp", ["amp"]),  # &amp; is the sign, as on the page it was copied from
        ("class section math span", "class math", ["class", "math"]),
        ("Gauß and Poincaré", "Poincare", ["Poincaré"]),
        ("nothing here", "", []),
    ],
)
def test_words_are_marked_in_their_forms_and_never_in_formulas(body, query, found):
    assert re.findall("<mark>(.*?)</mark>", shown(body, query)) == found


@given(
    st.text(alphabet="ab <>&\"'$\\{}%mark", max_size=60),
    st.sampled_from(["a", "mark b", "amp lt quot", "class"]),
)
def test_marks_change_nothing_else(body, query):
    """Without its marks the HTML is byte for byte what it was, so marking can neither add an element nor end one."""
    html = "".join(block.section for block in latex.render(body, "latex").blocks)
    with_marks = marked(html, frozenset(words.terms(query)))
    assert with_marks.replace("<mark>", "").replace("</mark>", "") == html
