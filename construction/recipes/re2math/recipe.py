"""Every number of the recipe."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from construction.recipes.about import About

DOMAINS = (
    "analysis_pde",
    "geometry_topology",
    "algebra_number_theory",
    "probability_statistics_control",
    "combinatorics_discrete",
)


class Points(NamedTuple):
    """What one rule gives, or takes from, a score."""

    rule: str
    points: float


@dataclass(frozen=True)
class Recipe:
    """Limits of every step. "Published code" is that of the benchmark's authors."""

    # Papers
    min_entries: Annotated[int, About("Entries of the bibliography, at least", "12")] = 12
    min_proofs: Annotated[int, About("Proofs of a paper, at least", "1")] = 1
    min_statements: Annotated[int, About("Statements of a paper, at least", "4")] = 4
    min_cited: Annotated[int, About("Different keys that a paper cites, at least", "8")] = 8
    min_cited_in_proofs: Annotated[int, About("Different keys that its proofs cite, at least", "2")] = 2
    min_scout_score: Annotated[
        float, About("Points for phrases that cite a tool, at least", "3 in the published code")
    ] = 3.0
    scouted: Annotated[
        int, About("Characters from the beginning in which such phrases are sought", "120,000")
    ] = 120_000
    hits_of_a_kind: Annotated[int, About("Phrases of one kind that count", "3")] = 3

    # The main theorem and its proof
    min_proof: Annotated[
        int,
        About(
            "Characters of the main proof, at least",
            "500, or 250 with a citation",
            "Every proof that is read here has a citation.",
        ),
    ] = 250
    max_setup: Annotated[int, About("Characters of the setup that a model writes, at most", "1,200")] = 1_200
    shown: Annotated[
        int,
        About(
            "Characters of proofs that a model is shown, at most",
            "24,000 of the paper, in windows",
            "Whole proofs, so that the model sees every citation in its place.",
        ),
    ] = 60_000

    # Citations and blocks
    scored: Annotated[
        int,
        About(
            "Characters of a passage that points are given for", why="A citation belongs to a few sentences."
        ),
    ] = 4_000
    kept_of_a_paper: Annotated[
        int, About("Citations of a paper that are taken", "6; 4 in the published code", "As the code does.")
    ] = 4
    max_blocks: Annotated[int, About("Blocks of the proof before a citation, at most", "5")] = 5
    around_citation: Annotated[
        tuple[int, int],
        About("Characters before and after a citation that may restate the tool", "3,500 and 1,200"),
    ] = (3_500, 1_200)
    around_locator: Annotated[
        int, About("Characters on both sides of a citation that say where it is", "180 to 220")
    ] = 180
    points: Annotated[
        tuple[Points, ...],
        About(
            "Points of the rules that find tools among citations",
            "result_flow counts twice 1 in the published code",
            "Once 2 is the same sum.",
        ),
    ] = (
        Points("tool_word", 2),
        Points("trigger_word", 1.25),
        Points("locator", 1),
        Points("obtained", 0.75),
        Points("result_flow", 2),
        Points("locator_in_citation", 1),
        Points("implication", 1.5),
        Points("method", -2),
        Points("background", -2.5),
        Points("comparison", -1.25),
        Points("list_or_remark", -2),
        Points("see", -2.5),
        Points("bibliography", 0.5),
        Points("identifier", 0.5),
    )

    # Witness and anchor
    min_tool: Annotated[
        int, About("Characters of a witness, at least", "too short ones go", "The code has no single number.")
    ] = 20
    max_tool: Annotated[
        int, About("Characters of a witness, at most", why="More is not a single statement.")
    ] = 5_000
    min_anchor: Annotated[int, About("Characters of an anchor, at least", "50")] = 50
    max_anchor: Annotated[int, About("Characters of an anchor, at most", "220")] = 220
    near_duplicate: Annotated[
        float, About("Similarity from which two witnesses of a paper are nearly the same", "0.9")
    ] = 0.9
    compared: Annotated[
        int,
        About("Characters of a witness that are compared", why="Comparing takes the square of their number."),
    ] = 2_000

    # Selection
    domains: Annotated[tuple[str, ...], About("Domains with a quota, in their order", "these five")] = DOMAINS
    quota: Annotated[int, About("Instances of a domain", "40")] = 40
    cap: Annotated[int, About("Instances of a paper within a domain, at most", "2")] = 2
    is_normalised: Annotated[
        bool,
        About(
            "Versions of a paper count as one, and duplicates go",
            "no",
            "Of the published 200, five papers have two numbers and three gaps are there twice.",
        ),
    ] = True
    excluded: Annotated[
        frozenset[str],
        About(
            "Instances that are left out by name",
            "21 that were repaired by hand",
            "They are names of the published release.",
        ),
    ] = frozenset()
    long_tool: Annotated[int, About("Characters from which a witness gets a point", "140")] = 140
    long_locator: Annotated[int, About("Characters from which a locator gets a point", "120")] = 120
    good_anchor: Annotated[
        tuple[int, int], About("Characters between which an anchor gets a point", "70 and 220")
    ] = (70, 220)
    good_context: Annotated[
        tuple[int, int], About("Characters between which the context gets a point", "180 and 2,600")
    ] = (180, 2_600)
    strict: Annotated[
        tuple[int, int, int],
        About("Characters of anchor, witness and context for a strict pass", "50, 80 and 120"),
    ] = (50, 80, 120)


def published(excluded: frozenset[str]) -> Recipe:
    """The recipe of the published Eval-200."""
    return Recipe(is_normalised=False, excluded=excluded)
