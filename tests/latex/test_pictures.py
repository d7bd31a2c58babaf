"""Numbers in place of the names of pictures, and pictures in place of the numbers."""

import pytest

from latex.pictures import NUMBERS, Picture, picture_names, with_numbers, with_pictures
from latex.render import render, render_checked

TEXT = (
    "% \\includegraphics{hidden}\n"
    "\\begin{figure}\\includegraphics[width=0.5\\linewidth]{ figs/secret-tower }"
    "\\caption{The tower of $K$ over~$k$.}\\end{figure}\n"
    "\\includegraphics*[page=2][scale=2]{x} and \\includegraphics{lost}"
)
TOWER, SMALL = Picture("/a?b&c", (400, 200), "Picture 3"), Picture("/small", (20, 30), "Picture 50")


def test_names_are_those_that_the_text_shows() -> None:
    assert picture_names(TEXT, "latex") == ["figs/secret-tower", "x", "lost"]
    assert picture_names(TEXT, "plain") == []


def test_numbers_keep_every_character_at_its_place() -> None:
    told = with_numbers(TEXT, {"figs/secret-tower": 3, "x": 50})
    assert len(told) == len(TEXT)
    assert "secret" not in told
    assert "{lost}" in told
    assert told.index("The tower") == TEXT.index("The tower")
    assert with_numbers(TEXT, {}) is TEXT


def test_there_is_a_number_for_every_file_of_an_output() -> None:
    assert (len(NUMBERS), len(set(NUMBERS))) == (50, 50)


def test_a_picture_is_where_the_text_has_it_with_its_caption_in_words() -> None:
    blocks = render_checked(with_numbers(TEXT, {"figs/secret-tower": 3, "x": 50}), "latex").blocks
    html = "".join(with_pictures(block.html, {3: TOWER, 50: SMALL}) for block in blocks)
    assert (
        '<img class="picture" src="/a?b&amp;c" width="320" height="160" loading="lazy" alt="Figure 1. The tower'
        in html
    )
    assert '<img class="picture" src="/small" width="40" height="60" loading="lazy" alt="Picture 50">' in html
    assert "[picture: lost, which did not come with the text]" in html
    assert "secret" not in html


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ("", (400, 200)),
        ("width=\\textwidth", (640, 320)),
        ("width=.25\\columnwidth", (160, 80)),
        ("width=2in,height=7in,keepaspectratio", (192, 96)),
        ("height=1in", (192, 96)),
        ("scale=.5, angle=90", (200, 100)),
        ("width=99cm", (640, 320)),
        ("width=0.0001pt", (16, 8)),
        ("width=\\secret", (400, 200)),
        ("nonsense", (400, 200)),
    ],
)
def test_options_are_kept_as_far_as_a_page_can(options: str, size: tuple[int, int]) -> None:
    (block,) = render(f"\\includegraphics[{options}]{{②}}", "latex").blocks
    width, height = size
    assert f'width="{width}" height="{height}"' in with_pictures(block.html, {2: TOWER})


def test_a_number_without_a_picture_is_said_and_an_author_cannot_write_html() -> None:
    (block,) = render('\\includegraphics[width=1cm,x="><script>]{②}', "latex").blocks
    assert "[picture ②]" in with_pictures(block.html, {})
    assert "<script" not in with_pictures(block.html, {2: Picture('"><script>', (10, 10), '"><script>')})
