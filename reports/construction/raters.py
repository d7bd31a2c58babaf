"""What a program, a model and experts answered to each item of a construction audit, instance by instance."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

from annotation.core.instance_labels import instance_labels
from benchmark.models import Release
from benchmark.overlaps import cluster_of
from benchmark.protocol import ConstructionItem
from benchmark.protocols import get_protocol
from canonical.documents import Free
from judging.models import Judge, Verdict
from judging.programs.construction import slug_of_program
from judging.runs.tally import Ballot, Tally, tally
from reports.construction.document import VALUES, newest_audit
from reports.core.choosing import named_or_first
from reports.judges.pairs import Settled, TwoRaters, agreement_on
from reports.scores.inputs import SEED
from stats.core.estimate import Estimate
from stats.scores.means import share_by_cluster

PROGRAM, JUDGE, EXPERTS = RATERS = ("program", "judge", "experts")
STANDINGS = ("contradiction", "open", "agreed", "alone")
FILTERS = ("judge", "item", "domain", "standing")
COLUMNS = ("release", "instance", "domain", "item", "standing", PROGRAM, JUDGE, EXPERTS)
_CHUNK = 2000


@dataclass(frozen=True)
class AuditedInstance:
    """An instance. `subject` is its key, `cluster` its paper or, without one, the instance itself."""

    subject: str
    cluster: str
    domain: str
    pk: int


@dataclass(frozen=True)
class BothAnswers:
    """One item of one instance with what each kind of rater answered: a value, a state, or "" for nothing."""

    instance: AuditedInstance
    item: str
    program: str
    judge: str
    experts: str

    @property
    def standing(self) -> str:
        """Of those who answered: one says yes and one no; somebody is uncertain; all agree; one is alone."""
        said = [value for value in (self.program, self.judge, self.experts) if value in VALUES]
        if {"yes", "no"} <= set(said):
            return "contradiction"
        if len(said) < 2:
            return "alone"
        return "agreed" if len(set(said)) == 1 else "open"


@dataclass(frozen=True, kw_only=True)
class ItemPair(TwoRaters):
    raters: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class RatedItem:
    key: str
    title: str
    answers: Mapping[str, Mapping[str, int]]
    passed: Mapping[str, Estimate]
    standings: Mapping[str, int]
    pairs: Sequence[ItemPair]


@dataclass(frozen=True, kw_only=True)
class ConstructionRaters:
    release: str
    judge: str | None
    judges: Sequence[str]
    seed: int
    items: Annotated[
        Free[Sequence[RatedItem]],
        "Counts, the share of yes among the answers of each rater, standings, and agreement of every two raters.",
    ]


@dataclass(frozen=True)
class Raters:
    """The answers of the newest program, of one judge version and of the experts about a release's instances."""

    release: Release
    items: tuple[ConstructionItem, ...]
    instances: tuple[AuditedInstance, ...]
    judge: Judge | None
    judges: tuple[Judge, ...]
    said: Mapping[str, Settled]

    def agreement(self) -> ConstructionRaters:
        """Counts by item and rater, agreement of every two raters (Wilson and papers resampled), no instances."""
        return ConstructionRaters(
            release=self.release.name,
            judge=self.judge.label if self.judge else None,
            judges=[judge.label for judge in self.judges],
            seed=SEED,
            items=[self._item(item) for item in self.items],
        )

    def _item(self, item: ConstructionItem) -> RatedItem:
        standings = Counter(row.standing for row in self.both_answers(item=item.key))
        pairs = []
        for one, other in combinations(self.said, 2):
            found = agreement_on(item.key, (self.said[one], self.said[other]), self.instances)
            pairs.append(ItemPair(**vars(found), raters=(one, other)))
        return RatedItem(
            key=item.key,
            title=item.title,
            answers={rater: self._counts(rater, item.key) for rater in self.said},
            passed={rater: self._passed(rater, item.key) for rater in self.said},
            standings={name: standings[name] for name in STANDINGS},
            pairs=pairs,
        )

    def _counts(self, rater: str, item: str) -> dict[str, int]:
        counts = Counter(_shown(found[item]) for found in self.said[rater].values() if item in found)
        return {value: counts[value] for value in (*VALUES, "abstain", "unavailable")}

    def _passed(self, rater: str, item: str) -> Estimate:
        """The share of yes among this rater's answers; neither strata nor instances that nobody asked about count."""
        found = [(self._answer(rater, instance, item), instance.cluster) for instance in self.instances]
        answered = [(value == "yes", cluster) for value, cluster in found if value in VALUES]
        return share_by_cluster([yes for yes, _ in answered], [cluster for _, cluster in answered])

    def both_answers(self, *, item: str = "", domain: str = "", standing: str = "") -> Iterator[BothAnswers]:
        """Instance by instance and item by item what was answered; what nobody was asked is left out."""
        keys = [known.key for known in self.items if item in ("", known.key)]
        for instance in self.instances:
            for key in keys:
                row = BothAnswers(instance, key, *(self._answer(rater, instance, key) for rater in RATERS))
                fits = domain in ("", instance.domain) and standing in ("", row.standing)
                if fits and any((row.program, row.judge, row.experts)):
                    yield row

    def _answer(self, rater: str, instance: AuditedInstance, item: str) -> str:
        found = self.said[rater].get(instance.subject, {}).get(item)
        return _shown(found) if found is not None else ""


def _shown(found: Tally) -> str:
    return found.value if found.state == "answered" else found.state


def raters(release: Release, judge: str = "") -> Raters:
    """`judge` names a judge version; left out, the newest model that was asked about this release's instances.

    Raises Refused when the protocol has no construction audit, or when there is no such judge.
    """
    own = slug_of_program(release)
    verdicts = Verdict.objects.filter(instance__release=release)
    # A label table of another site has the program's verdicts as a judge's, and it is no second rater.
    speakers = verdicts.filter(judge__program="").exclude(judge__slug=own).values("judge")
    asked = tuple(Judge.objects.filter(pk__in=speakers).order_by("created_at", "pk"))
    named_or_first([each.label for each in asked], judge, "judge", where=" of these instances")
    chosen = next((each for each in reversed(asked) if judge in ("", each.label)), None)
    said: dict[str, dict[str, dict[str, Tally]]] = {rater: defaultdict(dict) for rater in RATERS}
    for rater, version in ((PROGRAM, newest_audit(release)), (JUDGE, chosen)):
        votes = verdicts.filter(judge=version).order_by("pk")
        ballots: dict[tuple[str, str], list[Ballot]] = defaultdict(list)
        for key, item, value, state in votes.values_list(
            "instance__key", "predicate", "value", "state"
        ).iterator(chunk_size=_CHUNK):
            ballots[key, item].append(Ballot(value, state))
        for (key, item), cast in ballots.items():
            said[rater][key][item] = tally(cast)
    # experts of closed campaigns (annotation/core/instance_labels.py); those who split are uncertain
    for label in instance_labels(release):
        value = label.value or ("uncertain" if label.counts else "")
        answer = Tally(value, "answered" if value else "abstain", 1, 0)
        said[EXPERTS][label.instance][label.question] = answer
    rows = release.instances.order_by("key").values_list("key", "paper__key", "domain", "pk")
    instances = tuple(
        AuditedInstance(key, cluster_of(paper) if paper else key, domain, pk)
        for key, paper, domain, pk in rows
    )
    items = get_protocol(release.benchmark.protocol).construction_items
    return Raters(release, items, instances, chosen, asked, said)


def chosen_rows(found: Raters, asked: Mapping[str, str]) -> list[BothAnswers]:
    """The rows that a request means, by `item`, `domain` and `standing`; left out, contradictions.

    Raises Refused for an item or standing that does not exist.
    """
    known = {"item": [item.key for item in found.items], "standing": [*STANDINGS, "all"]}
    for name, values in known.items():
        named_or_first(values, asked.get(name, ""), name, where="")
    standing = asked.get("standing") or "contradiction"
    narrowed = {name: asked.get(name, "") for name in ("item", "domain")}
    return list(found.both_answers(**narrowed, standing="" if standing == "all" else standing))


def rows_of_both(found: Raters, rows: Iterable[BothAnswers]) -> Iterator[list[object]]:
    """The rows as a table with a head; the judge's column is headed by its version."""
    yield [found.judge.label if name == JUDGE and found.judge else name for name in COLUMNS]
    for row in rows:
        instance = row.instance
        place = [found.release.name, instance.subject, instance.domain, row.item, row.standing]
        yield [*place, row.program, row.judge, row.experts]
