"""Which statements say the same."""

import random
import re
from functools import cache
from pathlib import Path

import pytest

from bench.search.sets import SOURCES, renamed, statements
from retrieval.duplicates import Read, compare, pairs
from retrieval.words import SPOKEN, plain
from tests.growing import takes_less_than
from tests.latex.real_data import DATA

_SHORTEST = 8  # words of a statement that is copied
_PROSE = re.compile(r"(?<![\\{A-Za-z])[a-z]{2,}(?![A-Za-z}])")
_FORMULA = re.compile(r"\$[^$]*\$|\\\[.*?\\\]|\\begin\{(align|equation)\*?\}.*?\\end\{\1\*?\}", re.DOTALL)
EXTREME = (
    r"Let $f\colon X\to\R$ be a continuous function on a compact space. "
    "Then $f$ is bounded and attains its maximum."
)


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (EXTREME, "identical"),
        (EXTREME.replace(r"$f\colon X\to\R$", r"$f : X \longrightarrow \mathbb{R}$"), "identical"),
        (EXTREME.replace("compact", r"\emph{compact}") + " % done", "identical"),
        (EXTREME.replace("$f", "$g").replace("X", "K"), "near"),
        (EXTREME.replace("bounded", "finite"), "near"),
        (
            EXTREME.replace("Then $f$ is bounded and attains its maximum.", "Then its image is compact."),
            "related",
        ),
        (r"Every subgroup of a cyclic group is cyclic, whatever its order may be.", "different"),
    ],
)
def test_likeness_says_what_two_statements_share(other, kind):
    assert compare(EXTREME, other).kind == kind
    assert compare(other, EXTREME).kind == kind


def test_the_coefficient_is_jaccard_s_of_runs_of_four_words():
    # Runs: abcd bcde cdef and abcd bcde cdeg with words for letters: two of four are common.
    one, other = "alpha beta gamma delta epsilon zeta", "alpha beta gamma delta epsilon eta"
    assert compare(one, other).jaccard == 2 / 4


def test_other_names_of_macros_are_the_same_run_and_exchanged_names_are_not():
    assert compare(r"a map $\foo(x, y)$ is even", r"a map $\baz(u, v)$ is even").jaccard == 1
    assert compare(r"a map $f(x, x)$ is even", r"a map $f(x, y)$ is even").jaccard < 1


def test_short_formulas_with_other_relations_are_not_near():
    assert (
        compare(r"If $\Gamma \vdash A$ then $\Gamma \models A$.", r"If $\Gamma \models A$ then $B < A$.").kind
        != "near"
    )


def test_pairs_are_listed_once_the_most_alike_first():
    texts = [
        ("c", EXTREME),
        ("a", EXTREME.replace("bounded", "finite")),
        ("b", EXTREME),
        ("d", "Something else entirely."),
    ]
    found = pairs(texts)
    assert [(pair.one, pair.other, pair.likeness.kind) for pair in found] == [
        ("b", "c", "identical"),
        ("a", "b", "near"),
        ("a", "c", "near"),
    ]


def test_pairs_with_other_statements_name_the_first_list_first():
    found = pairs([("release", EXTREME)], [("corpus", EXTREME), ("other", "Nothing of the kind.")])
    assert [(pair.one, pair.other) for pair in found] == [("release", "corpus")]


def planted(
    data: Path, chance: random.Random, count: int = 200
) -> tuple[list[tuple[str, str]], dict[str, list[tuple[str, str]]]]:
    """(all statements, for each kind of change the changed copies of `count` of them), as (key, LaTeX).

    The kinds: one word in ten is another, macros have other names, variables have other letters, and all three.
    Statements of fewer than eight words are not copied: they are too short to be near to anything.
    """
    texts = [(one.key, one.body) for name in SOURCES for one in statements(data, name)]
    vocabulary = sorted({word for _, body in texts for word in _PROSE.findall(body)})
    chosen = chance.sample([item for item in texts if len(Read(item[1]).tokens) >= _SHORTEST], count)

    def other_words(body: str) -> str:
        found = list(_PROSE.finditer(body))
        for word in sorted(chance.sample(found, round(len(found) / 10)), key=lambda word: -word.start()):
            body = body[: word.start()] + chance.choice(vocabulary) + body[word.end() :]
        return body

    def other_macros(body: str) -> str:
        return re.sub(
            r"\\([A-Za-z]+)",
            lambda name: name[0] if name[1] in (*SPOKEN, "begin", "end") else name[0] + "Mine",
            body,
        )

    def other_letters(body: str) -> str:
        letters = chance.randrange(1 << 30)
        return _FORMULA.sub(lambda formula: renamed(formula[0], random.Random(letters)), body)

    changes = {
        "words": other_words,
        "macros": other_macros,
        "variables": other_letters,
        "all": lambda body: other_words(other_macros(other_letters(body))),
    }
    return texts, {kind: [(key, change(body)) for key, body in chosen] for kind, change in changes.items()}


@pytest.mark.slow
@pytest.mark.real_data
def test_planted_copies_are_near_and_little_else_is():
    """Recall .95 at precision .9 (issue 18).

    The sources repeat themselves: a pair that was not planted is right if half of its runs of plain words are common.
    """
    texts, copies = planted(DATA, random.Random(18))
    bodies = dict(texts)
    for kind, changed in copies.items():
        near = [pair for pair in pairs(changed, texts) if pair.likeness.kind in {"identical", "near"}]
        right = [pair for pair in near if pair.one == pair.other]
        repeated = [
            pair
            for pair in near
            if pair.one != pair.other and plain_jaccard(bodies[pair.one], bodies[pair.other]) >= 0.5
        ]
        assert len({pair.one for pair in right}) >= 0.95 * len(changed), kind
        assert len(right) + len(repeated) >= 0.9 * len(near), kind


@pytest.mark.slow
@pytest.mark.real_data
def test_all_pairs_of_open_logic_that_share_half_of_their_words_runs_are_listed():
    texts = [(one.key, one.body) for one in statements(DATA, "openlogic")]
    listed = {(pair.one, pair.other) for pair in pairs(texts)}
    expected = {
        (one, other)
        for at, (one, body) in enumerate(texts)
        for other, second in texts[at + 1 :]
        if abs(len(body) - len(second)) < 3 * len(body) and plain_jaccard(body, second) >= 0.5
    }
    assert len(expected) > 180  # SEARCH.md, section 2 counts 183
    assert {tuple(sorted(pair)) for pair in expected} <= listed


@cache
def runs(latex: str) -> frozenset[tuple[str, ...]]:
    found = re.findall(r"[a-z0-9]+", plain(latex).lower())
    return frozenset(tuple(found[at : at + 4]) for at in range(max(1, len(found) - 3)))


def plain_jaccard(one: str, other: str) -> float:
    return len(runs(one) & runs(other)) / len(runs(one) | runs(other))


HOSTILE = {"one letter": "x " * 50_000, "braces": "{" * 100_000, "one word": "a" * 100_000, "nothing": ""}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_compared_in_time(text):
    assert takes_less_than(3, lambda: [compare(text, text + " y"), compare(text, EXTREME)])
    assert pairs([("a", text), ("b", text)])[0].likeness.kind == "identical"
