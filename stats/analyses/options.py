"""What all analyses of a label table ask for."""

from dataclasses import dataclass

from stats.core.intervals import z_value
from stats.pairs.strength_bootstrap import RankErrors
from stats.scores.clusters import Clustering
from stats.tables.columns import Table
from stats.tables.raw_rows import TableError

DEFAULT_SEED = 20_261_121


@dataclass(frozen=True)
class Options:
    """Seed of every resampling, confidence level, the only question and kind of rater (None: all).

    `order` names the values from low to high where they are words of one's own. An earlier way of `clustering`,
    `tests_singular` (strengths are tested though their errors by cluster are singular) and other `rank_errors` are for
    older artifacts.
    """

    seed: int = DEFAULT_SEED
    confidence: float = 0.95
    question: str | None = None
    rater_kind: str | None = None
    order: tuple[str, ...] = ()
    clustering: Clustering = Clustering.SKEWED
    tests_singular: bool = False
    rank_errors: RankErrors = RankErrors.OF_PAIR

    def __post_init__(self) -> None:
        z_value(self.confidence)
        if self.seed < 0:
            raise ValueError(f"a seed is 0 or more, got {self.seed}")
        if len(set(self.order)) < len(self.order) or "" in self.order or len(self.order) == 1:
            raise ValueError(
                "an order names at least two different values from low to high, like reject,major,minor"
            )


def questions_in(table: Table) -> list[str]:
    """The questions that occur, sorted; [""] for a table without the column, [] without rows."""
    return sorted(table["question"].used)


def chosen(table: Table, options: Options) -> Table:
    """The rows of the question and of the kind of rater. TableError when one does not occur."""
    table = chosen_question(table, options.question)
    if options.rater_kind is None:
        return table
    rows = table["rater_kind"].is_in(options.rater_kind)
    if not rows.any():
        raise TableError(f"no label is by a rater of the kind {options.rater_kind!r}", column="rater_kind")
    return table.select(rows)


def chosen_question(table: Table, question: str | None) -> Table:
    """The rows of one question. TableError when it does not occur."""
    if question is None:
        return table
    found = questions_in(table)
    if question not in found:
        raise TableError(f"no label answers {question!r}; questions: {', '.join(found)}", column="question")
    return table.select(table["question"].is_in(question))
