"""Two judges in a row: the first decides where it says yes or no, the second is asked about the rest.

The combination is a judge version of its own, so that scores, audits and exports treat it as any other, and
each of its verdicts says in its reason who decided. Its rule is part of its settings, hence of its hash.
"""

from collections import defaultdict
from collections.abc import Iterable

from benchmark.models import Release
from judging.models import Judge, JudgeRun, Verdict
from judging.runs.queries import runs_asked_about
from judging.runs.tally import Ballot, Tally, tally

DECISIVE = ("yes", "no")
RULE = "the first judge's value where it is yes or no, otherwise the second judge's majority"
Key = tuple[int, str]


def combination_settings(first: Judge, second: Judge) -> dict[str, object]:
    """What makes the combined judge version."""
    both = {"first": first.label, "then": second.label, "rule": RULE}
    return {
        "slug": f"{first.slug}-then-{second.slug}"[:100],
        "protocol": second.protocol,
        "model": second.model,
        "family": second.family,
        "votes": 1,
        "prompts": {predicate: both for predicate in second.prompts if predicate in first.prompts},
    }


def is_combination(judge: Judge) -> bool:
    """Whether the judge's verdicts are combined from two others."""
    return any("then" in identity for identity in judge.prompts.values())


def tallies(
    judge: Judge, release: Release, track: str, predicates: Iterable[str], condition: str = ""
) -> dict[Key, Tally]:
    """What a judge's votes add up to, by output and predicate; "" means all conditions."""
    ballots: dict[Key, list[Ballot]] = defaultdict(list)
    runs = runs_asked_about(release, track, condition)
    rows = Verdict.objects.filter(
        judge=judge, predicate__in=list(predicates), output__run__in=runs
    ).values_list("output_id", "predicate", "value", "state")
    for output_id, predicate, value, state in rows.iterator():
        ballots[output_id, predicate].append(Ballot(value, state))
    return {key: tally(votes) for key, votes in ballots.items()}


def decided(found: Tally) -> bool:
    """Whether the second judge need not be asked."""
    return found.state == "answered" and found.value in DECISIVE


def combined_verdicts(run: JudgeRun, judge: Judge) -> list[Verdict]:
    """Unsaved verdicts of the combined judge for a run with `after`, as far as both have spoken."""
    assert run.after is not None
    first = tallies(run.after, run.release, run.track, run.predicates, run.condition)
    second = tallies(run.judge, run.release, run.track, run.predicates, run.condition)
    found = []
    for key, opening in first.items():
        closing = opening if decided(opening) else second.get(key)
        if closing is None:
            continue
        who = run.after if decided(opening) else run.judge
        found.append(
            Verdict(
                judge=judge,
                output_id=key[0],
                predicate=key[1],
                value=closing.value,
                state=closing.state,
                reason=f"decided by {who.label}",
            )
        )
    return found
