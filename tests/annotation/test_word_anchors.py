"""Where quoted words are in a text: as they are, without blanks, by letters; which of several places; nowhere."""

import pytest

from annotation.grading.word_anchors import (
    AROUND,
    Given,
    Place,
    Quoted,
    Source,
    Text,
    at_offsets,
    by_words,
    given_of,
    lost_anchor,
)

PARTS = (
    "Let $G$ be a finite group.",
    "Then\nthe map $f$ is\tinjective, and the map $g$ is, too.",
    "\\[x=1\\]",
    "Ende.",
)
SOURCE = "\n\n".join(PARTS)
TEXT = Text(SOURCE, tuple(Source(f"b{at}", SOURCE.index(part), part) for at, part in enumerate(PARTS)))


def found(exact: str, prefix: str = "", suffix: str = "", block: str = "") -> Place | None:
    return by_words([TEXT], Quoted(exact, prefix, suffix), block)


def words(place: Place | None) -> str:
    assert place
    return PARTS[int(place.block[1:])][place.start : place.end]


@pytest.mark.parametrize(
    ("quote", "wanted"),
    [
        ("finite group", "finite group"),
        ("Then the  map", "Then\nthe map"),
        ("f is INJECTIVE", "f$ is\tinjective"),
        ("let G be a finite", "Let $G$ be a finite"),
        ("x = 1", "x=1"),
        ("\uff28\uff45\uff29 nobody", ""),
        ("the the map", ""),
        ("...", ""),
    ],
)
def test_words_are_found_whatever_breaks_and_marks_them(quote, wanted):
    assert words(found(quote)) == wanted if wanted else found(quote) is None


def test_of_several_places_the_one_in_the_same_surroundings_is_meant():
    first, second = SOURCE.index("the map"), SOURCE.rindex("the map")
    begins = SOURCE.index("Then")
    assert found("the map") == Place("b1", first - begins, first - begins + 7, sure=False)
    for prefix, suffix, at in (
        ("Then", "", first),
        ("and ", "", second),
        ("", " f is", first),
        ("", "$g$", second),
    ):
        place = found("the map", prefix, suffix)
        assert (place.start, place.sure) == (at - begins, True), (prefix, suffix)


def test_its_own_block_comes_first_among_equal_places():
    twice = Text("a b a", (Source("b0", 0, "a b"), Source("b1", 4, "a")))
    assert by_words([twice], Quoted("a"), "b1") == Place("b1", 0, 1)
    assert by_words([twice], Quoted("a")) == Place("b0", 0, 1, sure=False)


def test_without_words_it_is_the_point_between_its_surroundings():
    assert found("", "finite ", "group") == Place("b0", 20, 20)
    assert found("", "finite", "group.\n") == Place("b0", 20, 20), "blanks do not count"
    assert found("", "infinite", "group") is None
    assert found("") is None


def test_words_that_go_on_behind_their_block_are_where_they_begin():
    place = found("is, too. x=1")
    assert (words(place), place.whole) == ("is, too.", False)


def test_words_between_blocks_are_nowhere():
    text = Text("seen %hidden% seen", (Source("b0", 0, "seen "), Source("b1", 14, "seen")))
    assert by_words([text], Quoted("hidden")) is None


def test_offsets_count_if_the_words_are_there():
    blocks, point = {"b0": PARTS[0]}, Given("b0", 4, 7)
    around = Quoted("$G$", "Let ", PARTS[0][7:][:AROUND])
    for quoted in (around, Quoted("$G$"), Quoted("")):
        assert at_offsets(blocks, point, quoted) == Place("b0", 4, 7)
    for quoted in (Quoted("$H$"), Quoted("$G$", "So let "), Quoted("$G$", "", " is")):
        assert at_offsets(blocks, point, quoted) is None
    for given in (Given("b9", 4, 7), Given("b0", 4, 700), Given("b0", 7, 4)):
        assert at_offsets(blocks, given, Quoted("$G$")) is None


def test_a_lost_comment_keeps_what_it_said_of_its_place():
    given = Given("file1-page7", 3, 4, 7, [[1.0, 2.0, 3.0, 4.0]])
    assert given_of(lost_anchor(Quoted("gone"), given)) == given
    assert given_of(None) == given_of({"type": "pdf"}) == Given()


def test_a_letter_that_is_everywhere_is_looked_at_so_often_and_no_more():
    long = Text("a" * 100_000, (Source("b0", 0, "a" * 100_000),))
    assert by_words([long], Quoted("a", "a" * 32)) == Place("b0", 32, 33, sure=False)
