"""Which track, condition, judge and frozen tuple of a release a request means."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from accounts.refusal import Refused
from benchmark.models import Release
from judging.runs.queries import judges_with_verdicts
from reports.core.known import named_or_first
from reports.core.tuples import UNDECLARED, tuples_of
from reports.scores.overview import release_arms

USUAL = "usual"  # how a request names the usual condition, which rows keep as ""
PARAMETERS = ("track", "condition", "judge", "tuple")


@dataclass(frozen=True)
class Chosen:
    """A release, one of its tracks and conditions, and one of the judges that have spoken there ("" when none has).

    `tuples` are the frozen tuples that the runs there belong to ("none" stands for runs of no tuple).
    """

    release: Release
    track: str
    tracks: tuple[str, ...]
    judge: str
    judges: tuple[str, ...]
    frozen_tuple: str = ""
    condition: str = ""
    conditions: tuple[str, ...] = ("",)
    tuples: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The query string that names this choice again."""
        return self._query()

    def _query(self, **other: str) -> str:
        mine = {
            "track": self.track,
            "condition": self.condition,
            "judge": self.judge,
            "tuple": self.frozen_tuple,
        }
        return urlencode({name: value for name, value in {**mine, **other}.items() if value})

    @property
    def queries_by_condition(self) -> list[tuple[str, str]]:
        """Every condition of the track with the query string that chooses it; judge and tuple are chosen again."""
        return [(name, self._query(condition=name, judge="", tuple="")) for name in self.conditions]

    @property
    def queries_by_tuple(self) -> list[tuple[str, str]]:
        """Every frozen tuple with the query string that chooses it."""
        return [(name, self._query(tuple=name)) for name in self.tuples]


def choose(release: Release, asked: Mapping[str, str]) -> Chosen:
    """Take `track`, `condition`, `judge` and `tuple` from a request; of the first three, left out, the first is
    meant (raw comes first, and the usual condition, which "usual" names too).

    Raises Refused naming what exists when the track, the condition or the judge does not.
    """
    arms = release_arms(release)
    if not arms:
        raise Refused(f"{release.name} has no outputs yet.", code="no_outputs")
    tracks = list(dict.fromkeys(track for track, _ in arms))
    track = named_or_first(tracks, asked.get("track", ""), "track")
    conditions = [condition for of, condition in arms if of == track]
    condition = asked.get("condition", "")
    if condition != USUAL or "" not in conditions:
        condition = named_or_first([name or USUAL for name in conditions], condition, "condition")
    condition = "" if condition == USUAL else condition
    judges = [judge.label for judge in judges_with_verdicts(release, track, condition)]
    judge = named_or_first(judges, asked.get("judge", ""), "judge")
    return Chosen(
        release,
        track,
        tuple(tracks),
        judge,
        tuple(judges),
        asked.get("tuple", ""),
        condition,
        tuple(conditions),
        tuple(name or UNDECLARED for name in tuples_of(release, track, condition)),
    )


def only_known(asked: Mapping[str, str], *known: str) -> None:
    """Raise Refused for a query parameter that the address does not have."""
    for name in asked:
        if name not in known:
            raise Refused(
                f"There is no parameter {name!r}; there are: {', '.join(known)}.",
                code="unknown_parameter",
                field=name,
            )
