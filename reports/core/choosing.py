"""Which track, condition, judge and frozen tuple of a release a request means.

One frozen tuple to a table. Re2Math (B.5): a comparison names its whole frozen tuple, and entries of different tuples
are not compared. Runs of no tuple count as one of their own, so that nothing undeclared slips in with what was
declared.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.db.models import QuerySet

from accounts.refusal import Refused
from benchmark.models import FrozenTuple, Release, Run
from benchmark.protocols import get_protocol
from benchmark.subjects import DEFAULT_TRACK, USUAL
from judging.models import Judge, Verdict
from judging.runs.queries import runs_asked_about, votes_to_come

PARAMETERS = ("track", "condition", "judge", "tuple")
UNDECLARED = "none"  # how a request names runs of no tuple


def named_or_first(known: Sequence[str], asked: str, what: str, where: str = " here") -> str:
    """`asked`, or the first where it is left out ("" of none). Raises Refused naming what there is."""
    if asked and asked not in known:
        there = ", ".join(known) or "none"
        words = f"There is no {what} {asked!r}{where}; there are: {there}."
        raise Refused(words, code=f"no_{what}", field=what)
    return asked or next(iter(known), "")


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

    @property
    def audit_query(self) -> str:
        """The query string of the page that plans an audit, which frozen tuples do not concern."""
        return self._query(tuple="")

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


def release_arms(release: Release) -> list[tuple[str, str]]:
    """Track and condition of the runs of a release that have outputs: raw first, the usual condition first."""
    runs = Run.objects.filter(release=release, outputs__isnull=False).order_by()
    return sorted(
        runs.values_list("track", "condition").distinct(), key=lambda arm: (arm[0] != DEFAULT_TRACK, arm)
    )


def judges_with_verdicts(release: Release, track: str, condition: str = "") -> QuerySet[Judge]:
    """Judges that have answered a question of the protocol about a track under a condition, by label.

    Programs that answer other questions, like the source matcher, are not judges to choose from.
    """
    scored = [predicate.key for predicate in get_protocol(release.benchmark.protocol).output_predicates]
    said = Verdict.objects.filter(
        predicate__in=scored,
        output__run__release=release,
        output__run__track=track,
        output__run__condition=condition,
    )
    return Judge.objects.filter(id__in=said.values("judge_id")).order_by("slug", "version")


def votes_awaited(release: Release, track: str, condition: str, judge: str) -> int:
    """How many votes of the judge with this SHA-256 are still to come on a track under a condition: until they are in
    its figures can change."""
    about = runs_asked_about(release, track, condition or USUAL)
    return sum(votes_to_come(known, about) for known in Judge.objects.filter(sha256=judge))


def judges_of_release(release: Release) -> QuerySet[Judge]:
    """Judges that have answered a question of the protocol about any output of the release, by label."""
    scored = [predicate.key for predicate in get_protocol(release.benchmark.protocol).output_predicates]
    said = Verdict.objects.filter(predicate__in=scored, output__run__release=release, second=None)
    return Judge.objects.filter(id__in=said.values("judge_id")).order_by("slug", "version")


def only_known(asked: Mapping[str, str], *known: str) -> None:
    """Raise Refused for a query parameter that the address does not have."""
    for name in asked:
        if name not in known:
            raise Refused(
                f"There is no parameter {name!r}; there are: {', '.join(known)}.",
                code="unknown_parameter",
                field=name,
            )


class MixedTuples(Refused):
    """Runs of several frozen tuples and none named; `names` are those that can be, `where` are the runs in words."""

    def __init__(self, where: str, found: Mapping[str, list[str]]) -> None:
        self.names = [name or UNDECLARED for name in found]
        listed = "; ".join(f"{name or UNDECLARED}: {', '.join(systems)}" for name, systems in found.items())
        super().__init__(
            f"The runs of {where} belong to different frozen tuples, and entries of different tuples "
            f"never share a table. Name one ({listed}).",
            code="mixed_tuples",
            field="tuple",
        )


@dataclass(frozen=True)
class TupleInfo:
    """The entries of a frozen tuple other than the release, as a score prints them; the date in ISO form.

    The hashes are those of stored files. An entry that is only named has none, and then a score does not mention it, as
    before there were files.
    """

    name: str
    split: str
    retrieval: str
    materialisation: str
    scoring: str
    evaluated_on: str
    retrieval_sha256: str = ""
    materialisation_sha256: str = ""
    scoring_sha256: str = ""

    def as_json(self) -> dict[str, str]:
        return {key: value for key, value in asdict(self).items() if value}


def tuples_of(release: Release, track: str, condition: str) -> dict[str, list[str]]:
    """The names of the tuples of a track's runs ("" for runs of none), each with its systems; one query."""
    rows = Run.objects.filter(release=release, track=track, condition=condition, outputs__isnull=False)
    found: dict[str, list[str]] = defaultdict(list)
    pairs = rows.order_by("system__slug").values_list("tupled__tuple__name", "system__slug").distinct()
    for name, system in pairs:
        found[name or ""].append(system)
    return dict(sorted(found.items()))


def tuples_of_release(release: Release) -> list[str]:
    """The names of all tuples of a release's runs, "none" for runs of none; empty unless one has to be chosen."""
    rows = Run.objects.filter(release=release, outputs__isnull=False).order_by().distinct()
    found = sorted(name or "" for name in rows.values_list("tupled__tuple__name", flat=True))
    return [name or UNDECLARED for name in found] if any(found) else []


def one_tuple(
    release: Release, track: str, wanted: str, condition: str
) -> tuple[TupleInfo | None, frozenset[str] | None]:
    """The tuple of a track's table, and its systems where others have to be left out.

    `wanted` names a tuple, or "none" for runs of no tuple. Raises Refused with code mixed_tuples when the runs
    belong to several and none is named, or no_tuple for one that is not there.
    """
    found = tuples_of(release, track, condition)
    if not wanted and len(found) > 1:
        raise MixedTuples(f"track {track}", found)
    name = ("" if wanted == UNDECLARED else wanted) if wanted else next(iter(found), "")
    if name not in found:
        there = ", ".join(known or UNDECLARED for known in found) or UNDECLARED
        raise Refused(
            f"Track {track} has no runs in the tuple {wanted!r}; there are: {there}.",
            code="no_tuple",
            field="tuple",
        )
    systems = None
    if len(found) > 1:
        # systems of the tuple that released no output on the track: no row of a table, and a line below it
        runs = Run.objects.filter(release=release, track=track, condition=condition, outputs__isnull=True)
        withheld = runs.filter(tupled__tuple__name=name) if name else runs.filter(tupled__isnull=True)
        systems = frozenset([*found[name], *withheld.values_list("system__slug", flat=True)])
    if not name:
        return None, systems
    files = ("retrieval_file", "materialisation_file", "scoring_file")
    row = FrozenTuple.objects.select_related(*files).get(release=release, name=name)
    info = TupleInfo(
        row.name,
        row.split,
        row.retrieval,
        row.materialisation,
        row.scoring,
        row.evaluated_on.isoformat(),
        **{f"{entry}_sha256": file.sha256 for entry, file in row.files.items() if file},
    )
    return info, systems
