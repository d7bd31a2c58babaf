"""Formulas in Chromium under the real content policy: all rendered, each for itself, copied as LaTeX."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from latex import render
from tests.browser.math_pages import served
from tests.latex.real_data import machine_proofs, papers

pytestmark = pytest.mark.browser


@contextmanager
def opened(chromium: Browser, html: str, width: int = 1000) -> Iterator[Page]:
    """The page with its formulas rendered; a complaint of the browser fails the test."""
    complaints: list[str] = []
    with served(html) as address:
        page = chromium.new_page(viewport={"width": width, "height": 900})
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if "Policy" in line.text else None)
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        yield page
        page.close()
    assert complaints == []


def failures(page: Page) -> list[str]:
    return page.eval_on_selector_all(".math[data-state=failed] code", "codes => codes.map(c => c.title)")


@pytest.mark.parametrize("name", ["FP10_A", "FP2_B", "FP5_A", "FP7_B", "FP8_A", "FP9_Af"])
def test_every_formula_of_a_paper_renders(chromium: Browser, name: str) -> None:
    document = render(papers()[name], "latex")
    with opened(chromium, document.html) as page:
        assert failures(page) == []
        assert page.locator(".katex").count() >= document.report.formulas


@pytest.mark.parametrize(
    "name", ["CMO2024-1", "IMO2025-3", "PB-Basic-005", "PB-Advanced-010", "Putnam2024-A5"]
)
def test_every_formula_of_a_machine_proof_renders(chromium: Browser, name: str) -> None:
    with opened(chromium, render(machine_proofs()[name], "markdown").html) as page:
        assert failures(page) == []


def test_a_formula_that_is_not_defined_shows_its_source_and_why(chromium: Browser) -> None:
    with opened(chromium, render(r"A $\nosuch{x}$ and $y$.", "latex").html) as page:
        assert failures(page) == [r"Undefined control sequence: \nosuch"]
        assert page.locator(".math-source").text_content() == r"$\nosuch{x}$"
        assert page.locator(".katex").count() == 1


def test_the_source_of_an_inline_formula_that_fails_stays_in_its_line(chromium: Browser) -> None:
    with opened(chromium, render(r"A $\nosuch{x}$ and $y$.", "latex").html) as page:
        failed = page.locator(".math[data-state=failed]")
        assert failed.evaluate("box => [...box.classList, box.style.fontSize]") == ["math", ""]
        heights = page.evaluate(
            "[...document.querySelectorAll('.math')].map(e => e.getBoundingClientRect().top)"
        )
        assert abs(heights[0] - heights[1]) < 10


def marked(*formulas: str) -> str:
    """Formulas marked by hand: what the page does when the server's own guard is not there."""
    return "".join(f'<p><span class="math" data-display="false">{formula}</span></p>' for formula in formulas)


@pytest.mark.parametrize(
    "attack",
    [
        "{" * 9000 + "}" * 9000,
        r"\gdef\in{\notin}",
        r"\gdef\le{\ge}x\le y",
        r"\def\a{\a\a}\a",
        "x" * 30_000,
        r"\rule{9999em}{9999em}",
        r"\href{javascript:alert(1)}{x}",
        r"\htmlData{onclick=alert(1)}{x}",
        r"\includegraphics{https://example.org/x.png}",
        "a^" * 4000,
        r"\left(" * 500,
        "\\kern-9999em x",
    ],
)
def test_one_formula_never_harms_another(chromium: Browser, attack: str) -> None:
    with opened(chromium, marked(r"x \in S", attack, r"x \le y \in S")) as page:
        spoken = page.eval_on_selector_all(
            "p:not(:nth-child(2)) .katex-mathml math", "all => all.map(m => m.textContent)"
        )
        assert len(spoken) == 2
        assert spoken[0].startswith("x∈S")
        assert spoken[1].startswith("x≤y∈S")


def test_the_page_keeps_its_turn_while_formulas_render(chromium: Browser) -> None:
    """Work is done in slices: some formulas are set while others still wait."""
    html = marked(*[r"\sum_{i=1}^{n} \frac{x_i^2}{y_i}"] * 250)
    with served(html) as address:
        page = chromium.new_page()
        page.add_init_script("""window.setInterval(() => {
          const some = (state) => document.querySelector(`.math[data-state=${state}]`) !== null;
          window.hadItsTurn ||= some("done") && some("waiting");
        }, 0)""")
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        assert page.evaluate("window.hadItsTurn")
        assert page.locator(".math[data-state=done]").count() == 250
        page.close()


def test_copying_a_selection_gives_latex(chromium: Browser) -> None:
    document = render(r"Let $x\in\mathbb{R}$ be real. \[ x^2 \ge 0 \] Done.", "latex")
    with opened(chromium, document.html) as page:
        copied = page.evaluate("""() => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector("main"));
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          const data = new DataTransfer();
          document.dispatchEvent(new ClipboardEvent("copy", {clipboardData: data, bubbles: true}));
          return data.getData("text/plain");
        }""")
        assert [line for line in copied.splitlines() if line] == [
            r"Let $x\in\mathbb{R}$ be real.",
            r"\[ x^2 \ge 0 \]",
            "Done.",
        ]


@pytest.mark.parametrize(
    ("latex", "how"),
    [
        ("a_{1} + " * 60 + "b", ""),  # over several lines
        (r"\left(" + "a_{1} + " * 9 + r"b\right)", "smaller"),
        (r"\left(" + "a_{1} + " * 60 + r"b\right)", "overflows"),
    ],
)
def test_all_of_an_inline_formula_can_be_read_where_the_column_is_narrow(
    chromium: Browser, latex: str, how: str
) -> None:
    with opened(chromium, render(f"Say ${latex}$ here.", "latex").html, width=390) as page:
        formula = page.locator(".math")
        shown = formula.evaluate("box => [...box.classList, box.style.fontSize ? 'smaller' : 'as ever']")
        assert ("overflows" in shown) == (how == "overflows") == (formula.get_attribute("tabindex") == "0")
        assert ("smaller" in shown) == bool(how)
        right = formula.evaluate("box => box.querySelector('.math-end').getBoundingClientRect().right")
        assert (right > 390) == (how == "overflows")
        formula.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
        assert formula.evaluate("box => box.querySelector('.math-end').getBoundingClientRect().right") <= 390


@pytest.mark.parametrize(
    ("latex", "how"),
    [
        ("a + b", ""),
        ("a_{1} + " * 60 + "b", "broken"),  # over several lines
        (r"\begin{matrix}" + " & ".join(["a_{1}"] * 12) + r"\end{matrix}", "smaller"),
        (r"\begin{matrix}" + " & ".join(["a_{1}"] * 40) + r"\end{matrix}", "overflows"),
    ],
)
def test_a_wide_display_is_set_smaller_or_broken_before_it_scrolls(
    chromium: Browser, latex: str, how: str
) -> None:
    with opened(chromium, render(f"\\[ {latex} \\]", "latex").html, width=390) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        display = page.locator('.math[data-display="true"]')
        shown = display.evaluate(
            "box => [...box.classList, box.style.fontSize ? 'smaller' : ''].filter(Boolean)"
        )
        assert how in [*shown, ""]
        assert ("overflows" in shown) == (how == "overflows")
        assert (display.get_attribute("tabindex") == "0") == (
            how == "overflows"
        )  # the keyboard can scroll it
        assert display.evaluate("box => box.scrollWidth > box.clientWidth + 4") == (how == "overflows")


@pytest.mark.parametrize(
    "formula", [r"\tilde f", r"\hat{f}_{j}", r"\overline{\ell}", r"\textcolor{white}{f}"]
)
def test_in_forced_colours_no_part_of_a_formula_hides_another(chromium: Browser, formula: str) -> None:
    """The browser puts a plate behind every text, and the boxes of a formula overlap: the letter under a tilde went."""
    with opened(chromium, render(f"${formula}$", "latex").html) as page:
        page.evaluate("document.documentElement.style.zoom = 4")

        def ink() -> int:
            picture = Image.open(io.BytesIO(page.locator(".math").screenshot())).convert("L")
            return sum(picture.histogram()[:128])

        plain = ink()
        page.emulate_media(forced_colors="active")
        assert ink() > max(100, 0.9 * plain)


def test_no_line_begins_with_the_full_stop_after_a_formula(chromium: Browser) -> None:
    text = r"So $f(q)=q f(1)$ for all rational $q\in\mathbb Q$."
    with opened(chromium, render(text, "markdown").html) as page:
        stop, formula = page.evaluate("""() => {
          const formula = [...document.querySelectorAll(".math")].at(-1);
          const stop = document.createRange();
          stop.selectNode(formula.nextSibling);
          const letter = [...formula.querySelectorAll(".mathbb")].at(-1);
          const tops = [[], []];
          for (let width = 60; width < 500; width += 1) {
            document.querySelector("main").style.width = `${width}px`;
            tops[0].push(Math.round(stop.getBoundingClientRect().bottom / 10));
            tops[1].push(Math.round(letter.getBoundingClientRect().bottom / 10));
          }
          return tops;
        }""")
        assert len(set(stop)) > 2  # it was set in several lines
        assert [abs(a - b) for a, b in zip(stop, formula, strict=True) if abs(a - b) > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("words", ["נוסחה", "حيث"])
def test_a_formula_in_a_text_that_is_read_from_the_right_keeps_its_order(
    chromium: Browser, words: str
) -> None:
    with opened(chromium, render(f"{words} $x^2+y^2=1$ {words}.", "markdown").html) as page:
        parts = page.eval_on_selector_all(
            ".katex-base", "parts => parts.map(part => part.getBoundingClientRect().left)"
        )
        paragraph = page.locator("p").bounding_box()
        formula = page.locator(".math").bounding_box()
        assert parts == sorted(parts)
        assert paragraph
        assert formula
        assert formula["x"] > paragraph["x"] + paragraph["width"] / 2
