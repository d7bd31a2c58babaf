"""Calibration rounds: made, revealed and ended by a coordinator; discussed and answered again by reviewers."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.assigning.actions import handle_key, require_blind_reviewer
from annotation.calibration.reading import current_round, discussed
from annotation.campaigns.actions import locked as locked_campaign
from annotation.campaigns.actions import require_staff
from annotation.core import phases
from annotation.core.documents import anchors
from annotation.core.handles import shuffled
from annotation.core.material import material
from annotation.core.phases import Verb
from annotation.grading.actions import locked, require_own
from annotation.grading.answers import checked, shaped
from annotation.grading.drafting import later_draft, save_over
from annotation.models import (
    Assignment,
    AssignmentState,
    CalibrationItem,
    CalibrationRemark,
    CalibrationRound,
    Campaign,
    Grade,
    Item,
    LaterAnswer,
    LaterGrade,
    Occasion,
    SideDraft,
)
from benchmark.rendering.stored import ask_for
from benchmark.rubrics import rubric_from_content

MAX_REMARK = 20_000


@transaction.atomic
def make_calibration(*, actor: User, campaign: Campaign, items: int) -> CalibrationRound:
    """A round of `items` items in the campaign's seeded order, not revealed yet.

    Raises Refused with code wrong_phase, round_open (another round is not ended) or too_few.
    """
    require_staff(actor)
    campaign = locked_campaign(campaign)
    phases.require(campaign.phase, Verb.GRADE)
    if current_round(campaign) is not None:
        raise Refused("The current round has to end first.", code="round_open")
    free = campaign.items.filter(calibration=None, places__gte=2).values_list("pk", "instance_id")
    order = shuffled(handle_key(), seed=campaign.seed, reviewer=0, items=free)
    if not 1 <= items <= len(order):
        raise Refused(
            f"A round takes 1 to {len(order)} items, from those with two or more reviewers that were in no round yet.",
            code="too_few",
            field="items",
        )
    made = CalibrationRound.objects.create(campaign=campaign, made_by=actor)
    CalibrationItem.objects.bulk_create(CalibrationItem(round=made, item_id=pk) for pk in order[:items])
    record(actor=actor, verb="make_calibration", target=campaign, details={"items": items})
    return made


@transaction.atomic
def reveal_calibration(*, actor: User, campaign: Campaign, seen: int | None = None) -> CalibrationRound:
    """Show the blind answers of the current round to everyone who gave them; they are final from now on. With `seen`,
    the number of the round that was looked at, no other.

    Raises Refused with code no_round, meanwhile, wrong_phase, revealed, or not_answered while an item has a waiting
    place or fewer than two answers.
    """
    require_staff(actor)
    campaign = locked_campaign(campaign)
    phases.require(campaign.phase, Verb.GRADE)
    row = _present(campaign, seen)
    if row.revealed_at is not None:
        raise Refused("The round has been revealed.", code="revealed")
    # items and places are held, so that no place is taken and no answer written while the round is revealed
    items = Item.objects.select_for_update(no_key=True, of=("self",))
    list(items.filter(calibration__round=row).order_by("pk"))
    places = list(
        Assignment.objects.select_for_update(no_key=True, of=("self",))
        .filter(item__calibration__round=row)
        .order_by("pk")
    )
    for subject in row.items.select_related("item__instance"):
        of_item = [place for place in places if place.item_id == subject.item_id]
        # the mirrored repeat of a pair is waited for, since nobody could submit it later; it is not a second answer
        waiting = sum(place.state == AssignmentState.WAITING for place in of_item)
        answered = sum(place.state == AssignmentState.SUBMITTED and not place.repeat for place in of_item)
        if waiting or answered < 2:
            raise Refused(
                f"{subject.item.instance.key} has {answered} answers and {waiting} waiting places; a round can "
                "be revealed when every item has at least two answers and no waiting place.",
                code="not_answered",
            )
    row.revealed_by, row.revealed_at = actor, timezone.now()
    row.save(update_fields=["revealed_by", "revealed_at"])
    Item.objects.filter(calibration__round=row).update(revealed=True)
    record(actor=actor, verb="reveal_calibration", target=campaign, details={"items": row.items.count()})
    return row


@transaction.atomic
def end_calibration(*, actor: User, campaign: Campaign, seen: int | None = None) -> CalibrationRound:
    """End the discussion; remarks and second answers stay readable. With `seen`, as in `reveal_calibration`.

    Raises Refused with code no_round, meanwhile or not_revealed.
    """
    require_staff(actor)
    campaign = locked_campaign(campaign)
    row = _present(campaign, seen)
    if row.revealed_at is None:
        raise Refused("The round has not been revealed yet.", code="not_revealed")
    row.ended_at = max(timezone.now(), row.revealed_at)  # where the clock was set back meanwhile
    row.save(update_fields=["ended_at"])
    record(actor=actor, verb="end_calibration", target=campaign)
    return row


def _present(campaign: Campaign, seen: int | None) -> CalibrationRound:
    row = current_round(campaign)
    if row is None:
        raise Refused("There is no calibration round.", code="no_round")
    if seen not in (None, row.pk):
        raise Refused("The round that you looked at has ended; this is another one.", code="meanwhile")
    return row


@transaction.atomic
def discuss(*, author: User, item: Item, text: str) -> CalibrationRemark:
    """Add a remark to the discussion of a revealed item, by a reviewer who answered it or by the campaign's staff."""
    subject = CalibrationItem.objects.select_related("round").filter(item=item).first()
    mine = Assignment.objects.filter(item=item, reviewer=author, state=AssignmentState.SUBMITTED).exists()
    if subject is None or not (mine or is_study_staff(author)):
        raise NotAllowed("You do not take part in this discussion.")
    if not is_study_staff(author):
        require_blind_reviewer(author)  # the role may have been revoked since
    _require_discussion(subject)
    text = text.strip()
    if not text or len(text) > MAX_REMARK or "\0" in text:
        raise Refused(f"A remark has between 1 and {MAX_REMARK} characters.", code="malformed", field="text")
    remark = CalibrationRemark.objects.create(subject=subject, author=author, text=text)
    ask_for([(text, "markdown")])
    record(actor=author, verb="discuss", target=remark)
    return remark


def _require_discussion(subject: CalibrationItem) -> None:
    row = CalibrationRound.objects.select_for_update().get(pk=subject.round_id)
    if row.revealed_at is None or row.ended_at is not None:
        raise Refused("This item is not under discussion now.", code="not_discussed")


@transaction.atomic
def save_second_answers(*, reviewer: User, assignment: Assignment, version: int, content: Any) -> SideDraft:
    """Save what is typed of second answers over `version` (0: nothing saved yet); their reason is the note.

    Raises DraftConflict, and Refused with code not_discussed, already_answered or not_submitted.
    """
    assignment = _discussed_now(reviewer, assignment)
    require_first_later(assignment, Occasion.DISCUSSION)
    return save_over(later_draft(assignment, Occasion.DISCUSSION), version, content)


def _discussed_now(reviewer: User, assignment: Assignment) -> Assignment:
    """The reviewer's place, held, if its item is under discussion. A pair is answered again at its first place: the
    agreement after the discussion knows no others."""
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    subject = discussed(assignment)
    if subject is not None and assignment.repeat:
        raise Refused(
            "This is the repeat of a pair; answer again where you saw it first.", code="not_discussed"
        )
    if subject is None:
        raise Refused("This item is not under discussion now.", code="not_discussed")
    _require_discussion(subject)
    return assignment


@transaction.atomic
def answer_again(*, reviewer: User, assignment: Assignment, content: Any, reason: str) -> LaterGrade:
    """Second answers after the discussion, once; the blind ones stay, and only they enter scores.

    Raises Incomplete, and Refused with code not_discussed, already_answered or no_reason.
    """
    assignment = _discussed_now(reviewer, assignment)
    later = store_later(assignment, Occasion.DISCUSSION, content, reason)
    record(actor=reviewer, verb="answer_again", target=later)
    return later


def require_first_later(assignment: Assignment, occasion: Occasion) -> None:
    """Raise Refused unless the place has a grade and no later answers of the occasion."""
    if not Grade.objects.filter(assignment=assignment).exists():
        raise Refused("Submit your blind answers first.", code="not_submitted")
    if LaterGrade.objects.filter(assignment=assignment, occasion=occasion).exists():
        raise Refused("You have already given second answers.", code="already_answered")


def store_later(assignment: Assignment, occasion: Occasion, content: Any, reason: str) -> LaterGrade:
    """Check answers like a submission and store them; the blind ones stay as they are."""
    if not reason.strip():
        raise Refused(
            "Say in a sentence why you change your answers, or that you stay with them.",
            code="no_reason",
            field="reason",
        )
    require_first_later(assignment, occasion)
    blocks, steps = anchors(material(assignment))
    rubric = rubric_from_content(assignment.item.campaign.rubric.content)
    submission = checked(rubric, shaped(content), blocks, steps)
    later = LaterGrade.objects.create(assignment=assignment, occasion=occasion, reason=reason.strip())
    LaterAnswer.objects.bulk_create(
        LaterAnswer(later=later, question=a.question, step=a.step, value=a.value, comment=a.comment)
        for a in submission.answers
    )
    SideDraft.objects.filter(assignment=assignment, occasion=occasion).delete()
    return later
