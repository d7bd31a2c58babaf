import latex
from annotation.grading.rail import rail

TEXT = r"""\documentclass{article}
\newtheorem{lemma}{Lemma}
\begin{document}
\section{Setting}
Let $G$ be a group.
\begin{lemma} $G$ has a unit. \end{lemma}
\begin{proof} By definition. \end{proof}
\end{document}"""


def test_headings_theorems_and_proofs_stand_out_by_name_and_number():
    marks = {mark.sign: mark for mark in rail(latex.render(TEXT, "latex").blocks)}
    assert marks["§1"].landmark
    assert "Setting" in marks["§1"].words
    assert marks["L1"].words == "Lemma 1"
    assert marks["pf"].landmark


def test_every_block_has_its_mark():
    blocks = latex.render(TEXT, "latex").blocks
    assert [mark.block for mark in rail(blocks)] == [block.id for block in blocks]
    assert any(not mark.landmark and mark.words.startswith("paragraph") for mark in rail(blocks))
