"""`analyse difference`: do raters of one group agree more among themselves than those of another?"""

from collections.abc import Sequence

from stats.agreement.alpha_difference import alpha_difference
from stats.agreement.bundle import Level
from stats.analyses.options import Options, chosen, questions_in
from stats.tables.columns import Table
from stats.tables.groups import refuse_repeats
from stats.tables.label_ratings import Resolved, resolve
from stats.tables.labels import GRADERS, independent
from stats.tables.names import same_name
from stats.tables.raw_rows import TableError

Document = dict[str, object]


def difference_document(
    table: Table, *, first: Sequence[str], second: Sequence[str], level: Level | None, options: Options
) -> Document:
    """`{"questions": {question: {"first", "second", "difference", "p"}}}`: Krippendorff's alpha of each group of raters
    over the items that two raters of each group rated, and the first minus the second.

    A group is named by its raters; `expert` and `judge` mean all raters of that kind, unless a rater is called so.
    Groups may overlap: experts against experts and a judge asks what the judge does to their agreement. Raises
    TableError for a rater that does not occur.
    """
    first, second = ([same_name(word) for word in words] for words in (first, second))
    refuse_repeats(independent(table)[0])
    table = chosen(table, options)
    names, kinds = (set(table[column].used) for column in ("rater", "rater_kind"))
    shown = names | {f"{name} ({kind})" for name in names for kind in kinds}
    for word in (*first, *second):
        if word not in shown and not (word in GRADERS and word in kinds):
            raise TableError(
                f"nobody is called {word!r}; raters: {', '.join(sorted(names)[:20])}", column="rater"
            )
    questions = {}
    for question in questions_in(table):
        resolved = resolve(table.select(table["question"].is_in(question)), level, options.order)
        ratings, clusters = resolved.ratings, resolved.clusters
        groups = _codes(resolved, first), _codes(resolved, second)
        found = alpha_difference(
            ratings, groups, resolved.level, clusters=clusters, confidence=options.confidence
        )
        alphas = zip(("first", "second"), groups, (found.first, found.second), strict=True)
        questions[question] = {
            "level": resolved.level,
            "coefficient": f"krippendorff_alpha_{resolved.level}",
            "unit": "item" if clusters is None else "cluster",
            "n_items": found.items,
            "items_left_out": ratings.n_items - found.items,
            **{f"n_{name}": count for name, count in resolved.left_out.items()},
            **{
                name: {"raters": [ratings.raters[code] for code in group], "alpha": alpha.as_json()}
                for name, group, alpha in alphas
            },
            "difference": found.difference.as_json(),
            "p": found.p,
        }
    return {"primary": "difference", "questions": questions}


def _codes(resolved: Resolved, words: Sequence[str]) -> list[int]:
    """Codes of the raters that the words name. A question that some of them did not answer goes without them."""
    names, kinds = resolved.ratings.raters, resolved.kinds_of_raters
    codes: set[int] = set()
    for word in words:
        own = [
            code
            for code, (name, kind) in enumerate(zip(names, kinds, strict=True))
            if word in (name, name.removesuffix(f" ({kind})"))
        ]
        if not own and word in GRADERS:
            own = [code for code, kind in enumerate(kinds) if kind == word]
        codes.update(own)
    return sorted(codes)
