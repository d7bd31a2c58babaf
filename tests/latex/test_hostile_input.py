"""Text that means harm: it raises nothing, reaches nothing, and costs in proportion to its length."""

import itertools

import pytest

from latex import render
from latex.limits import MAX_SOURCE, Budget
from latex.reading.tokens import tokenize
from tests.foreign_texts import foreign_texts
from tests.latex.hostile import FLOODS
from tests.latex.pages import attributes, words
from tests.latex.real_data import hostile_strings

LINKS = ("http://", "https://", "mailto:", "#")


def assert_harmless(html: str) -> None:
    for tag, name, value in attributes(html):
        assert tag not in {
            "script",
            "iframe",
            "object",
            "embed",
            "img",
            "svg",
            "style",
            "form",
            "input",
            "base",
            "meta",
        }
        assert not name.startswith("on")
        assert name not in {"style", "src", "srcset", "action", "formaction", "background", "xlink:href"}
        if name == "href":
            assert value.startswith(LINKS)


@pytest.mark.parametrize("format", ["latex", "markdown", "plain"])
def test_no_known_attack_leaves_anything_active_in_the_page(format: str) -> None:
    for attack in hostile_strings():
        assert_harmless(render(attack, format).html)
        assert_harmless(render(f"Text $ {attack} $ \\href{{{attack}}}{{x}} [a]({attack})", format).html)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_no_foreign_text_leaves_anything_active_in_the_page(format: str) -> None:
    for attack in foreign_texts():
        assert_harmless(render(f"{attack}\n\nText $ {attack} $ [a]({attack})", format).html)


@pytest.mark.parametrize(
    "attack",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\href{JaVaScRiPt:alert(1)}{x}",
        r"\href{data:text/html,<script>alert(1)</script>}{x}",
        r"\url{javascript:alert(1)}",
        r"\href{https://x.org/\" onmouseover=alert(1)}{x}",
        r"$\href{javascript:alert(1)}{x}$",
        r"$\htmlData{onclick=alert(1)}{x}$",
        r"$\htmlStyle{background:url(https://x)}{x}$",
        r"$\htmlId{main}{x}$",
        r"$\includegraphics{https://x.org/p.png}$",
        r"$\text{<img src=x onerror=alert(1)>}$",
        r"\begin{tikzcd}<script>alert(1)</script>\end{tikzcd}",
        r"\verb|<script>alert(1)</script>|",
        r"\section{<svg onload=alert(1)>}",
        r"\begin{tabular}{c}<img src=x>\end{tabular}",
        r'\label{"><script>}\ref{"><script>}\cite{"><script>}',
        r"\begin{<script>}x\end{<script>}",
        r"\input{<script>}",
    ],
)
def test_latex_attacks_are_words(attack: str) -> None:
    for format in ("latex", "markdown"):
        assert_harmless(render(attack, format).html)


def test_a_prefix_cannot_break_out_of_its_attribute() -> None:
    assert_harmless(render(r"x\footnote{y}\section{a}\label{l}\ref{l}", "latex", prefix='"><script>').html)


@pytest.mark.parametrize("name", FLOODS)
@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_a_flood_is_rendered_and_its_page_is_bounded(name: str, format: str) -> None:
    text = FLOODS[name](4000)
    # A display of two characters costs its element (some 160 characters); nothing costs more per character.
    assert len(render(text, format).html) <= 160 * len(text)


@pytest.mark.parametrize("character", ["{", "[", "$", "\\", "`", ">", "*", "%", "&", "#", "\n", "("])
def test_any_one_character_ten_thousand_times_is_survived(character: str) -> None:
    for format in ("latex", "markdown", "plain"):
        render(character * 10_000, format)


def test_tokens_cover_the_source_once() -> None:
    text = r"a $x$ % c" + "\n" + r"\foo{b} \begin{verbatim}v\end{verbatim} \verb|x|" + "\n\nend"
    tokens = tokenize(text)
    assert all(before.end <= after.start for before, after in itertools.pairwise(tokens))


def test_a_text_beyond_the_limit_is_shown_as_plain_text() -> None:
    document = render("$x$ " * (MAX_SOURCE // 4 + 1), "latex")
    assert document.report.formulas == 0
    assert "plain text" in document.report.notes[0]


def test_the_work_allowed_beyond_one_reading_grows_with_what_was_read() -> None:
    budget = Budget()
    stock, more = budget.may_reread(0), budget.may_reread(1_000_000)
    assert budget.may_reread(2_000_000) - more == more - stock
    budget.reread += stock
    assert budget.may_reread(0) == 0
    assert budget.may_reread(1_000) > 0


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800", "\r\n\r", "\ue0000\ue001", "\ue0100\ue011", "a\ue0005\ue001b"]
)
def test_odd_strings_are_documents_too(text: str) -> None:
    for format in ("latex", "markdown", "plain"):
        assert isinstance(words(render(text, format)), str)


def test_files_are_never_read_and_commands_never_run() -> None:
    document = render(
        r"\openin5=/etc/passwd \read5 to\x \x \immediate\write18{id} \catcode`\%=12 done", "latex"
    )
    assert "root:" not in document.html
    assert "done" in words(document)
    assert any("never obeyed" in note for note in document.report.notes)
