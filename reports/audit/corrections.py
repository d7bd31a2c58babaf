"""Scores corrected by an audit. No rows here.

Strata are those of the draw, within each system: the judge's buckets, the domains where a campaign was drawn
without a plan, or all answers. Given how many of a system's outputs a draw hit in a stratum, those are a simple random
sample of its outputs there, so N_h is counted within the system. Of all systems together the strata are those of the
draw: a bucket drawn from as one stratum is one. Abstained and failed outputs are negative by rule: a stratum known
without an audit. Outputs whose verdict is unavailable were never in the frame of a draw by buckets; they leave and are
counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric
from reports.audit.results import Truth, bucket_of, system_of, truth_outputs
from reports.core.datasets import DrawnItem
from reports.scores.shape import METHODS, Corrected, CorrectedStratum, EmptyStratum
from stats.audit.borrowed import borrowed_score
from stats.audit.corrected import corrected_score
from stats.audit.doubts import between, with_missing_labels
from stats.core.estimate import Estimate
from stats.core.strata import Stratum

BY_RULE = "abstained or failed"
WHOLE, NO_DOMAIN = "all", "no domain"
MOST_TRIED = 10  # audits of which some may be left out by another: above, all or none of them are
MOST_ABSENT = 5  # systems not hit by a draw of which some may be judged later: above, all of them are


def strata_of(
    bucket: Callable[[LabelledOutput], str], outputs: Mapping[str, LabelledOutput]
) -> dict[str, str]:
    """Subject to its stratum: `system/bucket`, BY_RULE or UNAVAILABLE_BUCKET."""
    strata = {}
    for subject, output in outputs.items():
        name = bucket(output)
        if output.state != "answered":
            name = BY_RULE
        elif name != UNAVAILABLE_BUCKET:
            name = f"{output.system}/{name}"
        strata[subject] = name
    return strata


@dataclass(frozen=True)
class DrawnAudit:
    """One campaign's draw and what its experts found."""

    drawn: Sequence[DrawnItem]
    truth: Truth


def drawn_by_buckets(audit: DrawnAudit, strata: Mapping[str, str], methods: int = METHODS) -> bool:
    """Whether the draw's strata are the judge's buckets, within each system or over all.

    A stratum without a name is not a bucket (not with `methods` before 8): a draw by domains has one where an instance
    has no domain.
    """
    buckets = {name for at in strata.values() for name in (at, bucket_of(at))}
    return any(item.stratum in buckets and (item.stratum or methods < 8) for item in audit.drawn)


def by_the_draw(
    audit: DrawnAudit, outputs: Mapping[str, LabelledOutput]
) -> tuple[DrawnAudit, dict[str, str]]:
    """An audit that was not drawn by buckets, and the strata for it: all answers where it drew from them at once or
    read every one, else domains."""
    sizes = {item.stratum: item.stratum_size for item in audit.drawn}
    if len(sizes) == 1 or all(item.sample_size == item.stratum_size for item in audit.drawn):
        size = sum(sizes.values())
        drawn = [replace(item, stratum=WHOLE, stratum_size=size) for item in audit.drawn]
        return DrawnAudit(drawn, audit.truth), strata_of(lambda _: WHOLE, outputs)
    drawn = [replace(item, stratum=item.stratum or NO_DOMAIN) for item in audit.drawn]
    return DrawnAudit(drawn, audit.truth), strata_of(lambda output: output.domain or NO_DOMAIN, outputs)


@dataclass(frozen=True)
class Usable:
    """What is known of each output that may enter a correction, the draws that it comes from, and which outputs of the
    same strata no draw could take."""

    truth: Truth
    drawn: tuple[DrawnItem, ...] = ()
    undrawable: frozenset[str] = frozenset()


def usable_truth(
    audit: DrawnAudit,
    others: Sequence[DrawnAudit],
    strata: Mapping[str, str],
    methods: int = METHODS,
    undrawable: Collection[str] = (),
) -> Usable:
    """What may enter the correction by `audit`; `others` were drawn by the same strata.

    A later audit may have left out what earlier ones had drawn: then its frame is smaller than the stratum. A
    random sample of the rest, joined with the earlier random sample, is a random sample of the whole, so the
    earlier findings are taken in; also for strata that this audit did not draw from. Audits that followed, or that
    this one did not leave out, change nothing of it (not with `methods` before 14). Systems that were judged after the
    draw were not in its frame (not with `methods` before 8; before 14, all that it did not hit): where their outputs
    are what is missing, the audit says of the others what it always said. Where the left-out outputs are not exactly
    those that others drew and those of such systems, nor (not with `methods` before 14) as many more as the stratum
    has `undrawable` ones besides, the stratum stays unaudited rather than wrong; so it does (not with `methods` before
    5) where an output was drawn from another one than it is in now, because verdicts came later; of other audits, such
    as those of an earlier run of the judge, this counts (not with `methods` before 13) only where their findings are
    taken in.
    """
    own = {item.campaign for item in audit.drawn}
    mine = {item.subject for item in audit.drawn}
    drawn_systems = {system_of(strata[subject]) for subject in mine if subject in strata}
    usable: Truth = {subject: labels for subject, labels in audit.truth.items() if subject in mine}
    frames = {item.stratum: item.stratum_size for item in audit.drawn}
    drawn = [item for one in (audit, *others) for item in one.drawn if item.subject in strata]
    moved = [item for item in drawn if methods > 4 and not _covers(item.stratum, strata[item.subject])]
    never = set(undrawable if methods > 13 else ()) - mine
    apart: set[str] = set()
    behind = {item.subject: item for item in audit.drawn}
    for stratum in sorted(set(strata.values())):
        name = next((name for name in frames if _covers(name, stratum)), None)
        inside = {subject for subject, at in strata.items() if _covers(name or stratum, at)}
        earlier = _findings(others, inside - mine, methods)
        left_out = len(inside) - frames[name] if name is not None else len(earlier)
        spare = inside & never
        taken = others
        if methods > 13 and name is not None:
            taken = _left_out_by(audit, others, inside, name, left_out, spare)
            earlier = _findings(taken, inside - mine, methods)
        if methods > 7 and not _accounted(left_out, earlier, spare):
            whole, anybodys = left_out, spare
            unhit = {system_of(strata[subject]) for subject in inside} - drawn_systems
            for absent in _absent(unhit, methods):
                later = {subject for subject in inside if system_of(strata[subject]) in absent}
                left_out, spare = whole - len(later), anybodys - later
                if methods > 13 and name is not None:
                    taken = _left_out_by(audit, others, inside - later, name, left_out, spare)
                earlier = _findings(taken, inside - mine - later, methods)
                if _accounted(left_out, earlier, spare):
                    break
        theirs = {item.campaign for one in taken for item in one.drawn} if left_out else set()
        mixing = [item for item in moved if methods < 13 or item.campaign in own | theirs]
        mixed = any(stratum == strata[item.subject] or _covers(item.stratum, stratum) for item in mixing)
        if mixed or not _accounted(left_out, earlier, spare):
            usable = {subject: labels for subject, labels in usable.items() if strata.get(subject) != stratum}
            behind = {subject: item for subject, item in behind.items() if strata.get(subject) != stratum}
        elif left_out:
            here = {s: (item, truth) for s, (item, truth) in earlier.items() if strata[s] == stratum}
            usable |= {s: truth[s] for s, (_, truth) in here.items() if s in truth}
            behind |= {s: item for s, (item, _) in here.items()}
            if name is None or left_out > len(earlier):
                apart |= {s for s in never - earlier.keys() if strata.get(s) == stratum}
    return Usable(usable, tuple(behind.values() if methods > 13 else audit.drawn), frozenset(apart))


def _absent(systems: Collection[str], methods: int) -> Iterable[Collection[str]]:
    """Which of the `systems` that a draw did not hit may have been judged after it: all, or else some of them."""
    fewest = 0 if methods > 13 and len(systems) <= MOST_ABSENT else len(systems)
    return (some for n in range(len(systems), fewest - 1, -1) for some in combinations(sorted(systems), n))


def _accounted(left_out: int, earlier: Mapping[str, object], spare: Collection[str]) -> bool:
    """Whether a draw left out nothing, or what others had drawn and besides at most as many as others of `spare`."""
    return left_out == 0 or 0 <= left_out - len(earlier) <= len(set(spare) - earlier.keys())


def _findings(
    audits: Iterable[DrawnAudit], subjects: Collection[str], methods: int
) -> dict[str, tuple[DrawnItem, Truth]]:
    """Those of `subjects` that any of the audits drew, each with what its experts found.

    The last audit counts of those that have a label (not with `methods` before 14: of all).
    """
    found: dict[str, tuple[DrawnItem, Truth]] = {}
    for one in audits:
        for item in one.drawn:
            is_new = item.subject not in found or item.subject in one.truth
            if item.subject in subjects and (is_new or methods < 14):
                found[item.subject] = item, one.truth
    return found


def _left_out_by(
    audit: DrawnAudit,
    others: Sequence[DrawnAudit],
    inside: Collection[str],
    name: str,
    left_out: int,
    spare: Collection[str],
) -> Sequence[DrawnAudit]:
    """Those of `others` whose outputs are the `left_out` ones `inside` the stratum `name`; all others if none are.

    What a draw leaves out it does not draw. Those with the larger frames come first: they were drawn earlier, and of
    what was left out as many may be nobody's as there are of `spare` besides.
    """
    if left_out <= 0:
        return others
    mine = {item.subject for item in audit.drawn}
    possible = []
    for other in others:
        theirs = {item.subject for item in other.drawn if item.subject in inside}
        if theirs and not theirs & mine:
            frames = {item.stratum: item.stratum_size for item in other.drawn if item.subject in theirs}
            possible.append((sum(frames.values()), theirs, other))
    possible.sort(key=lambda row: -row[0])
    own_frame = next(item.stratum_size for item in audit.drawn if item.stratum == name)
    larger = [row for row in possible if row[0] > own_frame]
    nobodies = set(spare)
    for rows, nobody in ((larger, nobodies), (possible, set[str]()), (possible, nobodies)):
        fewest = 1 if len(rows) <= MOST_TRIED else len(rows)
        found: list[tuple[int, Sequence[DrawnAudit]]] = [] if left_out > len(nobody) else [(left_out, ())]
        for number in range(len(rows), fewest - 1, -1):
            for some in combinations(rows, number):
                union = set().union(*(theirs for _, theirs, _ in some))
                nobodys = left_out - len(union)
                if 0 <= nobodys <= len(nobody - union):
                    found.append((nobodys, [other for _, _, other in some]))
        if found:
            return min(found, key=lambda row: row[0])[1]
    return others


def _covers(drawn_name: str, stratum: str) -> bool:
    """A draw names a stratum `system/bucket`, or `bucket` where it took all systems together."""
    return stratum != BY_RULE and drawn_name in (stratum, bucket_of(stratum))


def pooled_strata(
    strata: Mapping[str, str],
    usable: Usable,
    audit: DrawnAudit,
    others: Sequence[DrawnAudit],
    methods: int = METHODS,
) -> dict[str, str]:
    """`strata` for a score of all systems together: a bucket that was drawn from as one stratum becomes one.

    Only if all that is usable of it was drawn so, from a frame that held every system (not with `methods` before 8):
    joined with a draw by system, whose fractions differ between systems, or from fewer of them, the sample is a
    random one within each system alone. What other audits drew that are not taken in says nothing (not with `methods`
    before 14).
    """
    drawn = usable.drawn if methods > 13 else [item for one in (*others, audit) for item in one.drawn]
    drawn_as = {item.subject: item.stratum for item in drawn}
    whole = {item.stratum for item in audit.drawn}
    by_system = {bucket_of(strata[s]) for s in usable.truth if s in strata and drawn_as[s] == strata[s]}
    together = whole - by_system
    if methods > 7:
        sizes = Counter(bucket_of(at) for at in strata.values())
        frames: Counter[str] = Counter()
        for item in drawn:
            frames[item.stratum] = max(frames[item.stratum], item.stratum_size)
        apart = Counter(bucket_of(strata[subject]) for subject in usable.undrawable)
        together = {name for name in together if 0 <= sizes[name] - frames[name] <= apart[name]}
        if methods > 13:
            own = {item.campaign for item in audit.drawn}
            together = {name for name in together if _held_all(name, sizes[name] - apart[name], drawn, own)}
    return {s: bucket_of(at) if bucket_of(at) in together else at for s, at in strata.items()}


def _held_all(name: str, size: int, drawn: Iterable[DrawnItem], last: Collection[str]) -> bool:
    """Whether each draw from the stratum `name` had all `size` outputs, less those of draws with larger frames.

    The campaigns `last` left out all others that are in `drawn`.
    """
    frames: dict[str, int] = {}
    sampled: Counter[str] = Counter()
    for item in drawn:
        if item.stratum == name:
            frames[item.campaign] = item.stratum_size
            sampled[item.campaign] += 1
    left = size
    for campaign in sorted(frames, key=lambda one: (one in last, -frames[one])):
        if frames[campaign] < left:
            return False
        left -= sampled[campaign]
    return True


@dataclass(frozen=True)
class Correction:
    """The strata of a corrected score, how many outputs no verdict could place in one, and, in the order of the strata,
    how many drawn outputs have no label and how many outputs no draw could take.
    """

    strata: tuple[Stratum, ...]
    unavailable: int
    missing: tuple[int, ...] = ()
    undrawable: tuple[int, ...] = ()


def correction(
    metric: Metric,
    strata: Mapping[str, str],
    outputs: Mapping[str, LabelledOutput],
    usable: Truth,
    drawn: Sequence[DrawnItem] = (),
    undrawable: Collection[str] = (),
) -> Correction:
    """The strata of `outputs` (those of one system, or of all) with what the experts found in each.

    Strata of one bucket share the spread of their rates. `drawn` are the items whose labels may be missing,
    `undrawable` the outputs that no draw could take.
    """
    experts = truth_outputs(outputs, usable, metric)
    sizes = Counter(strata[subject] for subject in outputs)
    unavailable, by_rule = sizes.pop(UNAVAILABLE_BUCKET, 0), sizes.pop(BY_RULE, 0)
    found: dict[str, list[int]] = defaultdict(list)
    for subject, output in experts.items():
        found[strata[subject]].append(int(metric.success(output)))
    known = [
        Stratum(name, size, len(found[name]), sum(found[name]), bucket_of(name))
        for name, size in sorted(sizes.items())
    ]
    without = Counter(
        strata[item.subject] for item in drawn if item.subject in outputs and item.subject not in experts
    )
    del without[BY_RULE]  # known without a label
    apart = Counter(strata[subject] for subject in undrawable if subject in outputs)
    if by_rule:
        known.append(Stratum(BY_RULE, by_rule, by_rule, 0))
    return Correction(
        tuple(known),
        unavailable,
        missing=tuple(without[stratum.name] for stratum in known),
        undrawable=tuple(apart[stratum.name] for stratum in known),
    )


def corrected(
    found: Correction, everywhere: Correction | None = None, if_positive: Correction | None = None
) -> Corrected:
    """The audit-corrected score with its Beta-Binomial interval and the strata it rests on.

    `found` counts splits of experts as negative; `if_positive`, given where there are any, counts them positive
    (stats/audit/doubts.py). Where a stratum was not audited there is no score, and `empty` names what to draw from. If
    `everywhere`, the correction of all systems, has audits of the same bucket, `borrowed` is the score that follows if
    the judge errs on this system as on the others (stats/audit/borrowed.py).
    """
    estimate = corrected_score(found.strata)
    if if_positive is not None:
        estimate = between(estimate, corrected_score(if_positive.strata))
    best = (if_positive or found).strata
    missing = found.missing or (0,) * len(found.strata)
    estimate = with_missing_labels(estimate, found.strata, best, missing, found.undrawable)
    estimate = replace(estimate, n_unavailable=found.unavailable)
    return with_strata(estimate, found, everywhere, borrowed_score)


def with_strata(
    estimate: Estimate,
    found: Correction,
    everywhere: Correction | None,
    borrowed_score: Callable[[Sequence[Stratum], Mapping[str, tuple[int, int]]], Estimate | None],
) -> Corrected:
    """The estimate with the strata it rests on, and what is missing where one of them has no audit."""
    empty = [stratum for stratum in found.strata if stratum.is_unaudited]
    return Corrected(
        estimate=estimate,
        strata=[
            CorrectedStratum(stratum=s.name, size=s.size, sampled=s.sampled, successes=s.successes)
            for s in found.strata
        ],
        empty=[EmptyStratum(stratum=s.name, bucket=bucket_of(s.name) or s.name, size=s.size) for s in empty]
        or None,
        borrowed=borrowed_score(found.strata, rates_elsewhere(empty, everywhere)) if empty else None,
    )


def rates_elsewhere(empty: Sequence[Stratum], everywhere: Correction | None) -> dict[str, tuple[int, int]]:
    """For each unaudited stratum (audited, true) of its bucket in all systems, where there is any."""
    of_bucket: dict[str, list[Stratum]] = defaultdict(list)
    for stratum in everywhere.strata if everywhere else ():
        of_bucket[bucket_of(stratum.name)].append(stratum)
    return {
        stratum.name: (sum(other.sampled for other in others), sum(other.successes for other in others))
        for stratum in empty
        if (others := of_bucket.get(bucket_of(stratum.name)))
    }
