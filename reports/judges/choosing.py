"""The judges of one track side by side: which ones a request means, and what they said."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.refusal import Refused
from benchmark.models import Output, Release, Run
from benchmark.protocol import Metric
from benchmark.protocols import get_protocol
from benchmark.subjects import Subject, parse_subject
from judging.models import Judge
from judging.runs.tally import Tally
from reports.core.choosing import Chosen, judges_with_verdicts, one_tuple
from reports.core.datasets import (
    OutputRow,
    judge_info,
    judge_votes,
    labelled_outputs,
    output_rows,
    reached_stages,
    tallies,
)
from reports.judges.matrix import Bench, VerdictMatrix, matrix_of
from reports.judges.pairs import Differing, JudgePair, differing, judge_pair
from reports.scores.inputs import SEED

Settled = Mapping[str, Mapping[str, Tally]]


@dataclass(frozen=True)
class TwoJudges:
    """Two judges of a track with their settled verdicts."""

    chosen: Chosen
    judges: tuple[Judge, Judge]
    settled: tuple[Settled, Settled]
    outputs: tuple[OutputRow, ...]

    def agreement(self) -> JudgePair:
        """Agreement by predicate (reports/judges/pairs.py)."""
        info = (judge_info(self.judges[0]), judge_info(self.judges[1]))
        name, track = self.chosen.release.name, self.chosen.track
        return judge_pair(name, track, info, self.settled, self.outputs, seed=SEED)

    def differing(self, predicate: str = "") -> list[Differing]:
        """Disagreements, of one predicate if it is named. Raises Refused for one that neither judge answered."""
        found = list(differing(self.settled, self.outputs))
        if not predicate:
            return found
        known = {key for side in self.settled for said in side.values() for key in said}
        if predicate not in known:
            names = ", ".join(sorted(known)) or "none"
            raise Refused(
                f"Neither judge has a predicate {predicate!r}; there are: {names}.",
                code="no_predicate",
                field="predicate",
            )
        return [each for each in found if each.predicate == predicate]


def two_judges(chosen: Chosen, against: str) -> TwoJudges | None:
    """The chosen judge and `against`; left out, the next one is meant. None when there is only one.

    Raises Refused when `against` has not spoken here or is the chosen judge itself.
    """
    judges = list(judges_with_verdicts(chosen.release, chosen.track, chosen.condition))
    first = next((judge for judge in judges if judge.label == chosen.judge), None)
    others = [judge for judge in judges if judge != first]
    second = next((judge for judge in others if judge.label == against), None)
    if against and second is None:
        names = ", ".join(judge.label for judge in others) or "none"
        raise Refused(
            f"There is no other judge {against!r} here; there are: {names}.", code="no_judge", field="against"
        )
    if first is None or not others:
        return None
    pair = (first, second or others[0])
    said = [tallies(judge_votes(chosen.release, chosen.track, judge, chosen.condition)) for judge in pair]
    return TwoJudges(chosen, pair, (said[0], said[1]), tuple(_rows(chosen)))


def _rows(chosen: Chosen) -> list[OutputRow]:
    """The outputs that were chosen; raises Refused where they are of several frozen tuples and none is named."""
    _, systems = one_tuple(chosen.release, chosen.track, chosen.frozen_tuple, chosen.condition)
    rows = output_rows(chosen.release, chosen.track, chosen.condition)
    return rows if systems is None else [row for row in rows if row.system in systems]


def output_ids(chosen: Chosen, subjects: list[str]) -> dict[str, int]:
    """Subject to the id of its output, with one query."""
    parsed = map(parse_subject, subjects)
    instances = {subject.instance for subject in parsed if isinstance(subject, Subject)}
    rows = Output.objects.filter(
        run__release=chosen.release,
        run__track=chosen.track,
        run__condition=chosen.condition,
        instance__key__in=instances,
    ).values_list("instance__key", "run__system__slug", "attempt", "id")
    return {
        str(Subject(instance, system, attempt, chosen.track, chosen.condition)): pk
        for instance, system, attempt, pk in rows.iterator()
    }


def judge_matrix(chosen: Chosen, metric: str = "") -> VerdictMatrix:
    """Every system under every judge of the track (reports/judges/matrix.py) by one metric; "" means the first.

    Judges that do not answer all that the metric needs are left out and named.
    """
    release, track, condition = chosen.release, chosen.track, chosen.condition
    known = metrics_of(release)
    wanted = next((each for each in known if metric in ("", each.key)), None)
    if wanted is None:
        names = ", ".join(each.key for each in known) or "none"
        raise Refused(
            f"There is no metric {metric!r} here; there are: {names}.", code="no_metric", field="metric"
        )
    rows, reached = _rows(chosen), reached_stages(release, track, condition)
    benches, silent = [], []
    for judge in judges_with_verdicts(release, track, condition):
        said = tallies(judge_votes(release, track, judge, condition))
        answered = {predicate for found in said.values() for predicate in found}
        if set(wanted.needs) <= answered:
            benches.append(
                Bench(judge.label, judge.family, list(labelled_outputs(rows, said, reached).values()))
            )
        else:
            silent.append(judge.label)
    families = dict(
        Run.objects.filter(release=release, track=track, condition=condition).values_list(
            "system__slug", "system__family"
        )
    )
    return matrix_of(release.name, track, wanted, benches, families, silent=silent)


def metrics_of(release: Release) -> tuple[Metric, ...]:
    return get_protocol(release.benchmark.protocol).metrics
