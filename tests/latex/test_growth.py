"""Every construct that the reader knows is tried, and costs in proportion to its length.

bench/latex_growth.py measures the ratios.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from latex import render
from latex.formulas import katex
from latex.limits import SECONDS_PER_DOCUMENT
from latex.reading.latex_document import _COMMANDS, _ENVIRONMENTS
from latex.reading.stream import Stream
from latex.render import Format, render_checked
from latex.vocabulary import _file
from tests.growing import grows_in_proportion
from tests.latex import constructs

ROOT = Path(__file__).resolve().parents[2]
LATEX, MARKDOWN = constructs.latex(), constructs.markdown()
# Those that were more than linear, or would be first.
WORST = (
    "{proof}: open", "{proof}: nested", "{proof}: nested in paragraphs", "{proof}: repeated", "{theorem}: nested",
    "proof open, then paragraphs", "center open, then paragraphs", "framed open, then ends", "{tikzpicture}: open",
    "paragraph heading, then ends", "align open, then ends", "math open, then equations",
    "relation, then sections", "counter, then sections",
    "theorem declared, then sections",
    "\\paragraph: repeated", "\\texorpdfstring: nested twice", "\\item: nested in its option", "\\lstinline: open",
    "{theorem}: nested in its option", "\\verb: open", "{tikzpicture}: nested", "\\footnote: nested",
)  # fmt: skip
WORST_OF_MARKDOWN = (
    "nested glued", "nested environments", "brackets", "links in one quote", "run", "ticks of every length",
    "wide table of short rows", "math open", "nul", "long label",
)  # fmt: skip


def test_every_name_that_the_reader_knows_is_among_the_constructs() -> None:
    vocabulary = {
        name
        for area in ("text", "math")
        for table in _file()[area].values()
        for names in table.values()
        for name in names.split()
    }
    layouts = {name for names in _file()["environments"]["layout"].values() for name in names.split()}
    commands = {name for name in _COMMANDS if not name.startswith("character ") and " " not in name}
    assert vocabulary | commands <= set(constructs.COMMANDS)
    assert layouts | set(_ENVIRONMENTS) <= set(constructs.ENVIRONMENTS)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(8))
def test_every_construct_is_rendered_in_every_shape(share: int) -> None:
    for name in sorted(LATEX)[share::8]:
        text = LATEX[name](300)
        assert len(render(text, "latex").html) <= 300 * len(text) + 2_000, name


@pytest.mark.parametrize("name", MARKDOWN)
def test_every_construct_of_markdown_is_rendered(name: str) -> None:
    text = MARKDOWN[name](2_000)
    # Of a table, markdown-it fills up to 65,536 cells that short rows leave out, whatever the length of the text.
    filled = 65_536 * len('<td class="l"></td>') if "short rows" in name else 0
    assert len(render(text, "markdown").html) <= 300 * len(text) + 2_000 + filled


def is_linear(write: constructs.Write, format: Format) -> bool:
    return grows_in_proportion(lambda text: render(text, format), write, 25_000, 100_000, 400_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "\\texorpdfstring: nested", "\\IfNoValueF: nested in its option", "\\IfValueTF: nested twice",
        "\\IfBooleanF: nested twice", "\\'",
    ],
)  # fmt: skip
def test_arguments_in_arguments_are_not_read_more_and_more_often(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer than eight tokens read for each character; there were 100 to 2,000 at one of these lengths or more."""
    write = LATEX.get(name, lambda size: "\\'{" * (size // 4) + "a" + "}" * (size // 4))
    read_one = Stream.next
    read: list[None] = []
    monkeypatch.setattr(Stream, "next", lambda stream: read.append(None) or read_one(stream))
    for size in (25_000, 50_000, 100_000):
        read.clear()
        render(write(size), "latex")
        assert len(read) < 8 * size


@pytest.mark.parametrize("name", WORST)
def test_what_was_more_than_linear_is_so_no_more(name: str) -> None:
    assert is_linear(LATEX[name], "latex")


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST_OF_MARKDOWN)
def test_what_could_be_more_than_linear_in_markdown_is_not(name: str) -> None:
    assert is_linear(MARKDOWN[name], "markdown")


def test_a_text_that_takes_too_long_is_shown_as_plain_text() -> None:
    for format, text in (("latex", "$x$ " * 20_000), ("markdown", "![x" * 20_000)):
        document = render_checked(text, format, seconds=0.05)  # type: ignore[arg-type]
        assert document.report.notes == ("rendering took longer than 0.05 s: shown as plain text",)
        assert document.html.count("x") >= 20_000


def test_a_formula_that_katex_does_not_finish_is_shown_as_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(katex, "SECONDS_PER_FORMULA", 0.05)
    slow = "x" + "{y}" * 5_900
    document = render_checked(f"Let $a$. \\[{slow}\\] Then $b$.", "latex")
    assert [formula.latex for formula in document.formulas] == ["a", "b"]
    (failure,) = document.report.failures
    assert failure.reason.startswith("a limit was reached")
    assert slow in document.html
    assert document.report.formulas == 3


def test_a_long_formula_for_which_no_time_is_left_is_shown_as_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["latex.render"], "SECONDS_FOR_FORMULAS", 0)
    document = render_checked("Short $a$, long $" + "b+" * 600 + "b$, $\\text{next}$.", "latex")
    assert [formula.latex for formula in document.formulas] == ["a", "\\text{next}"]
    assert [failure.reason for failure in document.report.failures] == [
        "there was no time to try a formula of this length"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["{proof}: open", "image open"])
def test_two_megabytes_of_harm_take_a_worker_less_than_ten_seconds_and_half_a_gigabyte(name: str) -> None:
    """In a process of its own, whose memory the system bounds, the interpreter and its libraries included."""
    program = (
        "import resource, sys, time; resource.setrlimit(resource.RLIMIT_AS, (1_200_000_000,) * 2)\n"
        "from latex.render import render_checked; from tests.latex import constructs\n"
        f"write = (constructs.latex() | constructs.markdown())[{name!r}]\n"
        f"start, format = time.process_time(), {'markdown' if name in MARKDOWN else 'latex'!r}\n"
        "document = render_checked(write(1_999_000), format)\n"
        "taken = time.process_time() - start\n"
        # Not ru_maxrss: after a fork that begins with the memory of the process that ran the tests.
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(len(document.blocks), taken, peak.split()[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    blocks, taken, kilobytes = done.stdout.split()
    assert int(blocks) > 0
    assert float(taken) < SECONDS_PER_DOCUMENT + 2
    assert int(kilobytes) < 600_000
