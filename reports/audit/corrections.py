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

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric
from reports.audit.left_out import DrawnAudit, left_out
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
        return replace(audit, drawn=drawn), strata_of(lambda _: WHOLE, outputs)
    drawn = [replace(item, stratum=item.stratum or NO_DOMAIN) for item in audit.drawn]
    return replace(audit, drawn=drawn), strata_of(lambda output: output.domain or NO_DOMAIN, outputs)


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

    A later audit may have left out what earlier ones had drawn: then its frame is smaller than the stratum. A random
    sample of the rest, joined with the earlier random sample, is a random sample of the whole, so the earlier findings
    are taken in; also for strata that this audit did not draw from. Audits that followed, or that this one did not
    leave out, change nothing of it, and systems that were judged after the draw were not in its frame: of the others it
    says what it always said (reports/audit/left_out.py). A stratum stays unaudited rather than wrong where

    - not exactly those outputs are missing, besides as many as no draw could take;
    - an output was drawn from another stratum than it is in now, because verdicts came later (not with `methods` before
      5); of other audits this counts only where their findings are taken in (not with `methods` before 13).
    """
    mine = {item.subject: item for item in audit.drawn}
    hit = {system_of(strata[subject]) for subject in mine if subject in strata}
    usable: Truth = {subject: labels for subject, labels in audit.truth.items() if subject in mine}
    frames = {item.stratum: item.stratum_size for item in audit.drawn}
    drawn = [item for one in (audit, *others) for item in one.drawn if item.subject in strata]
    moved = [item for item in drawn if methods > 4 and not _covers(item.stratum, strata[item.subject])]
    never = set(undrawable if methods > 13 else ()) - mine.keys()
    apart: set[str] = set()
    behind = dict(mine)
    for stratum in sorted(set(strata.values())):
        name = next((name for name in frames if _covers(name, stratum)), None)
        inside = {subject: at for subject, at in strata.items() if _covers(name or stratum, at)}
        frame = None if name is None else frames[name]
        gone = left_out(audit, others, inside, frame, never, hit, methods)
        taken_in = {campaign for one in gone.by for campaign in one.campaigns} if gone.count else set()
        mixing = [item for item in moved if methods < 13 or item.campaign in audit.campaigns | taken_in]
        mixed = any(stratum == strata[item.subject] or _covers(item.stratum, stratum) for item in mixing)
        if mixed or not gone.is_accounted_for:
            usable = {subject: labels for subject, labels in usable.items() if strata.get(subject) != stratum}
            behind = {subject: item for subject, item in behind.items() if strata.get(subject) != stratum}
        elif gone.count:
            here = {s: (item, truth) for s, (item, truth) in gone.found.items() if strata[s] == stratum}
            usable |= {s: truth[s] for s, (_, truth) in here.items() if s in truth}
            behind |= {s: item for s, (item, _) in here.items()}
            if frame is None or gone.count > len(gone.found):
                apart |= {s for s in never - gone.found.keys() if strata.get(s) == stratum}
    return Usable(usable, tuple(behind.values() if methods > 13 else audit.drawn), frozenset(apart))


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
        apart = Counter(bucket_of(strata[subject]) for subject in usable.undrawable)
        together = {
            name
            for name in together
            if _had_every_system(name, strata, drawn, (audit, *others), apart[name], methods)
        }
    return {s: bucket_of(at) if bucket_of(at) in together else at for s, at in strata.items()}


def _had_every_system(
    name: str,
    strata: Mapping[str, str],
    drawn: Iterable[DrawnItem],
    audits: Sequence[DrawnAudit],
    apart: int,
    methods: int,
) -> bool:
    """Whether the items that were `drawn` from the bucket `name` are a sample of all its systems as one.

    Each of their draws had all systems, and left out nothing but what others of these draws had drawn. Where a draw is
    not recorded, the sizes have to say so; `apart` outputs could not be drawn, and the first of `audits` left out all
    others that are in `drawn`.
    """
    inside = {subject: at for subject, at in strata.items() if bucket_of(at) == name}
    items = [item for item in drawn if item.stratum == name]
    campaigns = {item.campaign for item in items}
    behind = [one for one in audits if one.campaigns & campaigns]
    systems = {system_of(at) for at in inside.values()}
    if any(not systems <= set(one.systems) for one in behind if one.systems is not None):
        return False
    if behind and all(one.systems is not None for one in behind):
        nothing_here = [one for one in audits if not any(item.subject in inside for item in one.drawn)]
        known = campaigns.union(*(one.campaigns for one in nothing_here))
        return all(known >= set(one.leaves_out) for one in behind)
    frame = max((item.stratum_size for item in items), default=0)
    if not 0 <= len(inside) - frame <= apart:
        return False
    if methods < 14:
        return True
    # each draw had all outputs that could be drawn, less those of draws with larger frames
    frames = {item.campaign: item.stratum_size for item in items}
    sampled, left = Counter(item.campaign for item in items), len(inside) - apart
    for campaign in sorted(frames, key=lambda one: (one in audits[0].campaigns, -frames[one])):
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
    found: Correction,
    everywhere: Correction | None = None,
    if_positive: Correction | None = None,
    methods: int = METHODS,
) -> Corrected:
    """The audit-corrected score with its Beta-Binomial interval and the strata it rests on.

    `found` counts splits of experts as negative; `if_positive`, given where there are any, counts them positive
    (stats/audit/doubts.py). Where a stratum was not audited there is no score, and `empty` names what to draw from. If
    `everywhere`, the correction of all systems, has audits of the same bucket, `borrowed` is the score that follows if
    the judge errs on this system as on the others (stats/audit/borrowed.py).
    """
    estimate = corrected_score(found.strata)
    if if_positive is not None:
        other = corrected_score(if_positive.strata)
        # by older methods the bounds of a score that is not there leave splits out
        older = methods < 17 and other.value is None
        estimate = between(estimate, replace(other, bounds=None) if older else other)
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
