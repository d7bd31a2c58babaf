"""Ids and inner links of a block, made those of its item in a printed report."""

import pytest

from latex import render
from reports.templatetags.printing import in_item


@pytest.mark.parametrize("text_format", ["latex", "markdown", "plain"])
def test_a_text_that_speaks_of_ids_and_links_is_printed_as_it_is(text_format):
    (block,) = render('A page with id="main" and href="#main" in it.', text_format).blocks
    assert in_item(block.html, 3) == block.html


def test_ids_and_inner_links_of_a_block_are_those_of_its_item():
    document = render(
        r"\begin{lemma}\label{one} A. \end{lemma} By \ref{one}, \href{https://a.org/#b}{B}.", "latex"
    )
    html = "".join(in_item(block.html, 3) for block in document.blocks)
    assert html.count('href="#i3-') == 1
    assert 'href="https://a.org/#b"' in html
    (inner,) = [
        block for block in render(r"Text.\footnote{Note.}", "latex").blocks if block.kind == "footnote"
    ]
    assert ' id="i3-' in in_item(inner.html, 3)
