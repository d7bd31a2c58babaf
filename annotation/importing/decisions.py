"""Importing the decisions of adjudicators together with the grades of a campaign."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils import timezone

from accounts.refusal import Refused
from annotation.adjudication.reading import LATEST, LATEST_PRIMARY
from annotation.campaigns.pairing import upright
from annotation.importing.grades import SubjectKey, subject_key
from annotation.importing.stand_ins import raters_named, stand_in
from annotation.models import Adjudication, Campaign, Item, Unblinding
from benchmark.models import Instance, Output
from stats.tables.names import same_name

UNBLINDED_ELSEWHERE = "Imported with decisions that were made after the unblinding of the original study."


@dataclass(frozen=True)
class PublishedDecision:
    """The final value of one question. For a pair, `output` is the one that its value calls first."""

    instance: Instance
    output: Output | None
    second: Output | None
    question: str
    step: str
    value: str
    rater: str
    cause: str
    note: str
    overrules: bool
    informed: bool
    amendment: bool
    decided_at: dt.datetime | None
    line: int

    @property
    def item_key(self) -> SubjectKey:
        return subject_key(self.instance, self.output, self.second)

    @property
    def upright(self) -> str:
        """The value in the order of the item, which goes by the outputs' ids."""
        turned = self.output is not None and self.second is not None and self.output.pk > self.second.pk
        return upright(self.value, swapped=turned)

    @property
    def content(self) -> tuple[object, ...]:
        """What makes two decisions about one item the same."""
        return (
            self.question, self.step, self.upright, self.rater, self.cause, self.note, self.overrules,
            self.informed, self.amendment,
        )  # fmt: skip


def import_decisions(*, slug: str, decisions: Sequence[PublishedDecision], new: bool) -> int:
    """Store decisions about a campaign that came with the same file (`new`); returns how many are new.

    A campaign that already exists keeps its decisions: the same ones change nothing (0), others raise Refused naming
    the line. To be called inside the transaction that stored the grades.
    """
    campaign = Campaign.objects.get(slug=slug)
    items = {(i.instance_id, i.output_id or 0, i.second_id or 0): i for i in campaign.items.all()}
    if not new:
        rows = Adjudication.objects.filter(LATEST | LATEST_PRIMARY, item__campaign=campaign).values_list(
            "item_id", "question", "step", "value", "decided_by__rater", "cause", "note", "overrules", "informed",
            "amendment",
        )  # fmt: skip
        stored = {(*row[:4], same_name(row[4]), *row[5:]) for row in rows}
        values = {(*row[:3], row[-1]): row[3] for row in rows}
        for decision in decisions:
            item = items.get(decision.item_key)
            if item is None or (item.pk, *decision.content) not in stored:
                place = (item.pk if item else 0, decision.question, decision.step, decision.amendment)
                why = f": of {decision.question}, where the file says {decision.value!r}"
                if place in values and decision.second is None:
                    why += f", {values[place]!r}"
                raise Refused(
                    f"Campaign {campaign.slug} already exists with other decisions{why}; nothing was imported. "
                    "Import under another campaign name.",
                    code="labels_differ",
                    line=decision.line,
                )
        return 0
    primary = [decision for decision in decisions if not decision.amendment]
    amendments = [decision for decision in decisions if decision.amendment]
    first = {(row.item_id, row.question, row.step): row for row in _store(items, primary, {})}
    if amendments:
        # an amendment proves that its study was unblinded; stand-ins record it, not people of this site
        Unblinding.objects.create(
            campaign=campaign,
            reason=UNBLINDED_ELSEWHERE,
            requested_by=stand_in("the platform"),
            confirmed_by=stand_in("the imported study"),
            confirmed_at=timezone.now(),
        )
        _store(items, amendments, first)
    return len(decisions)


def _store(
    items: dict[tuple[int, int, int], Item],
    decisions: Iterable[PublishedDecision],
    first: dict[tuple[int, str, str], Adjudication],
) -> list[Adjudication]:
    given = list(decisions)
    people = raters_named(decision.rater for decision in given)
    return Adjudication.objects.bulk_create(
        [
            Adjudication(
                item=items[decision.item_key],
                question=decision.question,
                step=decision.step,
                value=decision.upright,
                overrules=decision.overrules,
                cause=decision.cause,
                note=decision.note,
                informed=decision.informed,
                amendment=decision.amendment,
                supersedes=first.get((items[decision.item_key].pk, decision.question, decision.step)),
                decided_by=people[decision.rater],
                decided_at=decision.decided_at or timezone.now(),
            )
            for decision in given
        ],
        batch_size=500,
    )
