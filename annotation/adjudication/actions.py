"""The final value of a question where graders differ, decided after the round and kept with its history."""

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.adjudication.reading import LATEST, by_question, decidable, live_answers
from annotation.adjudication.settling import overrules_everyone
from annotation.campaigns.actions import locked, require_staff
from annotation.campaigns.pairing import upright
from annotation.core import phases
from annotation.core.identities import is_shown_elsewhere, is_unblinded, knows_identities
from annotation.core.item_names import is_turned
from annotation.core.phases import Verb
from annotation.models import Adjudication, AssignmentState, Campaign, Cause, Item
from benchmark.rubrics import RubricError, rubric_from_content

GRADED_IT = "You graded this item as a reviewer. Somebody else has to decide about it."


def has_graded(user: User, item: Item) -> bool:
    """Whether the person gave one of the item's grades before they joined those who run the study."""
    return item.assignments.filter(reviewer=user, state=AssignmentState.SUBMITTED).exists()


@transaction.atomic
def adjudicate(
    *,
    actor: User,
    item: Item,
    question: str,
    value: str,
    step: str = "",
    cause: str = "",
    note: str = "",
    supersedes: int | None = None,
) -> Adjudication:
    """Decide one question about one item; a further decision supersedes the one named by `supersedes`.

    `value` is on the question's scale; for a pair, in the order that adjudicators see (`is_turned`), which is not the
    item's, in which it is stored. Raises Refused while the campaign is not closed, (code "graded_it") for somebody who
    graded the item as a reviewer, for an unknown question, step or value, when all graders are overruled without a
    `cause` and a `note`, and (code "decided_meanwhile") when the latest decision is not the one that was looked at.
    """
    require_staff(actor)
    campaign = locked(item.campaign)
    phases.require(campaign.phase, Verb.ADJUDICATE)
    if has_graded(actor, item):
        raise Refused(GRADED_IT, code="graded_it")
    answers = by_question(live_answers([item], decidable(campaign)).get(item.pk, []))
    value = _canonical(campaign, question, value)
    if step and (question, step) not in answers:
        raise Refused(f"Nobody answered {question} for step {step!r}.", code="no_step", field="step")
    latest = Adjudication.objects.filter(LATEST, item=item, question=question, step=step).first()
    if (latest.pk if latest else None) != supersedes:
        raise Refused(
            "Someone has decided this question in the meantime; look at that decision first.",
            code="decided_meanwhile",
        )
    overrules = overrules_everyone(value, answers.get((question, step), []))
    note = note.strip()
    if cause and cause not in Cause.values:
        raise Refused(f"There is no cause {cause!r}; choose one of {', '.join(Cause.values)}.", field="cause")
    if overrules and not (cause and note):
        raise Refused(
            "No grader gave this value: choose the cause and explain in a note why all graders are overruled.",
            code="reasons_needed",
            field="note" if cause else "cause",
        )
    decision = Adjudication.objects.create(
        item=item,
        question=question,
        step=step,
        value=upright(value, swapped=is_turned(item)),
        overrules=overrules,
        cause=cause,
        note=note,
        informed=knows_identities(actor, campaign) or is_unblinded(campaign) or is_shown_elsewhere(item),
        amendment=is_unblinded(campaign),
        supersedes=latest,
        decided_by=actor,
    )
    # The value as the adjudicator saw it: next to the stored one, in their own data, it would tell the item's order.
    details = {"question": question, "step": step, "value": value, "amendment": decision.amendment}
    record(actor=actor, verb="adjudicate", target=item, reason=note[:1000], details=details)
    return decision


def _canonical(campaign: Campaign, key: str, value: str) -> str:
    if key not in decidable(campaign):
        raise Refused(
            f"{campaign.rubric.label} has no question {key!r} that can be decided.", code="no_question"
        )
    if not value.strip():
        raise Refused("Choose the final value.", code="no_value", field="value")
    question = rubric_from_content(campaign.rubric.content).question(key)
    try:
        found = question.canonical(value)
    except RubricError as error:
        raise Refused(f"{error}.", code="bad_value", field="value") from error
    if found not in question.scale.judgments:
        raise Refused(
            "A decision must settle the question; it cannot leave it open.", code="bad_value", field="value"
        )
    return found
