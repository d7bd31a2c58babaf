"""Training: attached by a coordinator while the campaign is in draft, done once by each reviewer."""

from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.assigning.actions import require_blind_reviewer
from annotation.campaigns.actions import locked, require_staff
from annotation.core import phases
from annotation.core.documents import anchors
from annotation.core.phases import Phase, Verb
from annotation.grading.answers import checked, shaped
from annotation.grading.drafting import save_over, training_draft
from annotation.models import (
    Campaign,
    CampaignKind,
    SideDraft,
    TrainingAnswer,
    TrainingAttempt,
    TrainingGold,
    TrainingItem,
    TrainingSet,
    TrainingSkip,
)
from annotation.training.file import read_gold
from annotation.training.material import prepared, training_material
from annotation.training.reading import trains, unfinished
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content
from canonical import sha256_of


@transaction.atomic
def attach_training(
    *, actor: User, campaign: Campaign, file: bytes, form: str, may_skip: bool = False
) -> TrainingSet:
    """Make the items of `file` (annotation/training/file.py) the training of a campaign in draft.

    A training that is there already is replaced. Raises BadFile naming line and field of every fault, and
    Refused with code wrong_phase or wrong_kind.
    """
    require_staff(actor)
    campaign = locked(campaign)
    if campaign.phase != Phase.DRAFT:
        raise Refused("Training can only be attached before the campaign opens.", code="wrong_phase")
    if campaign.kind not in (CampaignKind.GRADE, CampaignKind.AUDIT):
        raise Refused("Training is only possible for single answers.", code="wrong_kind")
    items = prepared(
        campaign.release, rubric_from_content(campaign.rubric.content), read_gold(file, form=form)
    )
    TrainingSet.objects.filter(campaign=campaign).delete()
    names = ("number", "title", "domain", "problem", "answer", "text", "text_format", "note")
    content = [
        [{name: getattr(entry.item, name) for name in names}, [vars(gold) for gold in entry.gold]]
        for entry in items
    ]
    training = TrainingSet.objects.create(
        campaign=campaign, may_skip=may_skip, sha256=sha256_of(content), attached_by=actor
    )
    for entry in items:
        entry.item.training = training
    TrainingItem.objects.bulk_create(entry.item for entry in items)
    TrainingGold.objects.bulk_create(
        TrainingGold(
            item=entry.item,
            question=gold.question,
            step=gold.step,
            value=gold.value,
            rationale=gold.comment,
        )
        for entry in items
        for gold in entry.gold
    )
    details = {"items": len(items), "sha256": training.sha256, "may_skip": may_skip}
    record(actor=actor, verb="attach_training", target=campaign, details=details)
    return training


def require_trainee(reviewer: User, campaign: Campaign) -> None:
    """Raise NotAllowed unless the person is a blind reviewer with items in the open campaign."""
    require_blind_reviewer(reviewer)
    if not trains(reviewer, campaign):
        raise NotAllowed("You do not take part in this training.")


@transaction.atomic
def save_training_draft(*, reviewer: User, item: TrainingItem, version: int, content: Any) -> SideDraft:
    """Save what is typed of a training item over `version` (0: nothing saved yet).

    Raises DraftConflict, and Refused with code wrong_phase or already_answered.
    """
    _require_open(reviewer, item)
    return save_over(training_draft(reviewer, item), version, content)


def _require_open(reviewer: User, item: TrainingItem) -> None:
    """Raise unless the person may answer the item now; two tabs of theirs come one after the other from here on."""
    campaign = item.training.campaign
    require_trainee(reviewer, campaign)
    phases.require(campaign.phase, Verb.GRADE)
    User.objects.select_for_update(no_key=True).get(pk=reviewer.pk)
    if TrainingAttempt.objects.filter(item=item, reviewer=reviewer).exists():
        raise Refused("You have already answered this training item.", code="already_answered")


@transaction.atomic
def answer_training(*, reviewer: User, item: TrainingItem, content: Any) -> TrainingAttempt:
    """Store the answers to a training item, once; afterwards the gold may be seen.

    Raises Incomplete naming the questions, and Refused with code wrong_phase, not_next or already_answered.
    """
    _require_open(reviewer, item)
    campaign = item.training.campaign
    following = unfinished(reviewer, campaign).first()
    if following is None or following.pk != item.pk:
        raise Refused("Answer the training items in their order.", code="not_next")
    blocks, steps = anchors(training_material(item, get_protocol(campaign.release.benchmark.protocol)))
    submission = checked(rubric_from_content(campaign.rubric.content), shaped(content), blocks, steps)
    attempt = TrainingAttempt.objects.create(item=item, reviewer=reviewer)
    TrainingAnswer.objects.bulk_create(
        TrainingAnswer(
            attempt=attempt,
            question=answer.question,
            step=answer.step,
            value=answer.value,
            comment=answer.comment,
        )
        for answer in submission.answers
    )
    SideDraft.objects.filter(reviewer=reviewer, training_item=item).delete()
    record(actor=reviewer, verb="answer_training", target=attempt)
    return attempt


@transaction.atomic
def skip_training(*, reviewer: User, campaign: Campaign) -> TrainingSkip:
    """Skip the rest of the training; raises Refused (code "may_not_skip") where it must be done."""
    require_trainee(reviewer, campaign)
    training = TrainingSet.objects.filter(campaign=campaign).first()
    if training is None or not training.may_skip:
        raise Refused("This training cannot be skipped.", code="may_not_skip")
    skip, made = TrainingSkip.objects.get_or_create(training=training, reviewer=reviewer)
    if made:
        record(actor=reviewer, verb="skip_training", target=campaign)
    return skip
