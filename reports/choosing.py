"""Which track and judge of a release a request means."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from accounts.refusal import Refused
from benchmark.models import Release
from judging.queries import judges_with_verdicts
from reports.overview import release_tracks


@dataclass(frozen=True)
class Chosen:
    """A release, one of its tracks, and one of the judges that have spoken there ("" when none has)."""

    release: Release
    track: str
    tracks: tuple[str, ...]
    judge: str
    judges: tuple[str, ...]
    frozen_tuple: str = ""

    @property
    def query(self) -> str:
        """The query string that names this choice again."""
        rest = {"judge": self.judge, "tuple": self.frozen_tuple}
        return urlencode({"track": self.track, **{name: value for name, value in rest.items() if value}})


def choose(release: Release, asked: Mapping[str, str]) -> Chosen:
    """Take `track`, `judge` and `tuple` from a request; of the first two, left out, the first is meant (raw
    comes first).

    Raises Refused naming what exists when the track or the judge does not.
    """
    tracks = sorted(release_tracks(release), key=lambda track: (track != "raw", track))
    if not tracks:
        raise Refused(f"{release.name} has no outputs yet.", code="no_outputs")
    track = _one_of(tracks, asked.get("track", ""), "track")
    judges = [judge.label for judge in judges_with_verdicts(release, track)]
    judge = _one_of(judges, asked.get("judge", ""), "judge") if judges or asked.get("judge") else ""
    return Chosen(release, track, tuple(tracks), judge, tuple(judges), asked.get("tuple", ""))


def _one_of(known: list[str], asked: str, what: str) -> str:
    if asked and asked not in known:
        names = ", ".join(known) or "none"
        raise Refused(
            f"There is no {what} {asked!r} here; there are: {names}.", code=f"no_{what}", field=what
        )
    return asked or known[0]


def only_known(asked: Mapping[str, str], *known: str) -> None:
    """Raise Refused for a query parameter that the address does not have."""
    for name in asked:
        if name not in known:
            raise Refused(
                f"There is no parameter {name!r}; there are: {', '.join(known)}.",
                code="unknown_parameter",
                field=name,
            )
