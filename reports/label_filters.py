"""Which rows of a release's label table a download asks for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from accounts.refusal import Refused
from reports.label_rows import Row

FILTERS = ("question", "rater_kind", "domain", "state", "system", "stratum", "instance")
_TELLING = ("system", "stratum")  # a blinded table filtered by these would no longer be blind


@dataclass(frozen=True)
class LabelFilter:
    """Columns with the values that are wanted; several values of one column are alternatives."""

    wanted: Mapping[str, frozenset[str]]

    def __call__(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that have a wanted value in every filtered column."""
        for row in rows:
            if all(row.get(column, "") in values for column, values in self.wanted.items()):
                yield row


def label_filter(asked: Mapping[str, str], *, identities: bool) -> LabelFilter:
    """Read the filters of a request, values separated by commas.

    Raises Refused when a blinded table is to be filtered by what blinding hides.
    """
    telling = [column for column in _TELLING if column in asked]
    if telling and not identities:
        raise Refused(
            f"A blinded table cannot be filtered by {telling[0]}; add identities=1.",
            code="blinded",
            field=telling[0],
        )
    return LabelFilter({column: frozenset(asked[column].split(",")) for column in FILTERS if column in asked})
