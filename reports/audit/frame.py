"""What an audit of a judge may draw from: the auditable outputs of a track under one condition, each in its
stratum.

Strata are the judge's buckets, within each system (`<system>/<bucket>`) or over all systems together
(`<bucket>`). Outputs that abstained, failed or have no usable verdict are not in the frame. An answer on which the
judge abstained is: experts may find it right.
"""

from collections import Counter
from dataclasses import dataclass, field

from accounts.refusal import Refused
from benchmark.models import Output, Release
from benchmark.protocol import UNAVAILABLE_BUCKET
from benchmark.protocols import get_protocol
from benchmark.subjects import Subject
from reports.core.datasets import PLAIN, judge_votes, labelled_outputs, output_rows, tallies
from reports.scores.inputs import choose_judge

SYSTEM_BUCKET, BUCKET = "system/bucket", "bucket"
STRATA = (SYSTEM_BUCKET, BUCKET)
ALL_SYSTEMS = "all systems together"


@dataclass
class AuditFrame:
    """Auditable outputs by id with their stratum, and the bucket and group of each stratum.

    A group is what a corrected score will be given for: a system, or all of them together. `systems` have outputs in
    some bucket. `successes` counts judged successes by stratum, `by_rule_of` the outputs of a group that count without
    an audit; `by_rule` is how many outputs are not in the frame.
    """

    judge: str
    placement: dict[int, str] = field(default_factory=dict)
    bucket_of: dict[str, str] = field(default_factory=dict)
    group_of: dict[str, str] = field(default_factory=dict)
    successes: Counter[str] = field(default_factory=Counter)
    by_rule_of: Counter[str] = field(default_factory=Counter)
    by_rule: int = 0
    systems: set[str] = field(default_factory=set)

    @property
    def buckets(self) -> list[str]:
        return sorted(set(self.bucket_of.values()))


def audit_frame(
    release: Release, track: str, judge: str, by: str = SYSTEM_BUCKET, condition: str = PLAIN
) -> AuditFrame:
    """The frame under `judge` (may be "" when only one has spoken). Raises Refused without verdicts."""
    if by not in STRATA:
        raise Refused(
            f"There are no strata {by!r}; there are: {', '.join(STRATA)}.", code="bad_strata", field="strata"
        )
    chosen = choose_judge(release, track, judge, condition)
    if chosen is None:
        under = f" under condition {condition}" if condition else ""
        raise Refused(f"{release.name} has no verdicts on track {track}{under} to audit.", code="no_judge")
    protocol = get_protocol(release.benchmark.protocol)
    votes = judge_votes(release, track, chosen, condition)
    labelled = labelled_outputs(output_rows(release, track, condition), tallies(votes))
    outputs = Output.objects.filter(run__release=release, run__track=track, run__condition=condition)
    rows = outputs.values_list("pk", "instance__key", "run__system__slug", "attempt")
    pks = {str(Subject(key, system, attempt, track, condition)): pk for pk, key, system, attempt in rows}
    frame = AuditFrame(chosen.label)
    for subject, output in labelled.items():
        bucket = protocol.bucket(output)
        group = output.system if by == SYSTEM_BUCKET else ALL_SYSTEMS
        if output.state != "answered" or bucket == UNAVAILABLE_BUCKET:
            frame.by_rule += 1
            frame.by_rule_of[group] += bucket != UNAVAILABLE_BUCKET
            continue
        stratum = f"{output.system}/{bucket}" if by == SYSTEM_BUCKET else bucket
        frame.placement[pks[subject]] = stratum
        frame.systems.add(output.system)
        frame.bucket_of[stratum], frame.group_of[stratum] = bucket, group
        frame.successes[stratum] += protocol.metrics[0].success(output)
    return frame
