"""Tables with a system's runs of all tracks and conditions side by side, as a protocol declares them. Pure."""

from dataclasses import dataclass

Arm = tuple[str, str]  # track and condition; "" is the usual condition


@dataclass(frozen=True)
class ConditionColumn:
    """A metric of the runs on `track` under `condition`.

    `coverage` is the title of the share of instances that these runs have an output for; only for a condition that
    cannot be had for every instance.
    """

    key: str
    title: str
    definition: str
    metric: str
    track: str
    condition: str = ""
    coverage: str = ""

    @property
    def arm(self) -> Arm:
        """Track and condition of the runs that the column reads."""
        return self.track, self.condition


@dataclass(frozen=True)
class ConditionTable:
    """Columns that may be shown side by side, with a row for each system.

    `baseline` is the key of a column: every other one with its metric is compared with it, instance by instance.
    `success_type` is one of the protocol's types of success, counted among the successes of the baseline. Raises
    ValueError where no column has that key or two have the same.
    """

    key: str
    title: str
    definition: str
    columns: tuple[ConditionColumn, ...]
    baseline: str
    success_type: str = ""

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            raise ValueError(f"table {self.key} has two columns with the same key")
        if self.baseline not in keys:
            raise ValueError(f"table {self.key} has no column {self.baseline!r}")

    @property
    def reference(self) -> ConditionColumn:
        """The baseline's column."""
        return next(column for column in self.columns if column.key == self.baseline)

    @property
    def compared(self) -> tuple[ConditionColumn, ...]:
        """The columns that are compared with the baseline."""
        base = self.reference
        return tuple(
            column for column in self.columns if column.metric == base.metric and column.key != base.key
        )
