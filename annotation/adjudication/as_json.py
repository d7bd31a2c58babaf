"""The adjudication of a campaign as REST and the console show it: letters, no names of graders, no systems."""

from annotation.adjudication.page import adjudication_page
from annotation.adjudication.reading import queue, state_counts
from annotation.core.item_names import item_name
from annotation.models import Adjudication, Campaign, Item, Unblinding


def queue_json(campaign: Campaign) -> dict[str, object]:
    """How many items are in each state, and every item with its own."""
    rows = queue(campaign)
    return {
        "campaign": campaign.slug,
        "phase": campaign.phase,
        "counts": {state.value: count for state, count in state_counts(rows).items()},
        "items": [
            {
                "item": row.name,
                "problem": row.item.instance.key,
                "domain": row.item.instance.domain,
                "state": row.state.value,
                "grades": row.grades,
                "places": row.item.places,
                "split": list(row.split),
            }
            for row in rows
        ],
    }


def item_json(item: Item) -> dict[str, object]:
    """One item's questions with what each grader said and what was decided."""
    page = adjudication_page(item)
    return {
        "item": item_name(item.pk),
        "problem": item.instance.key,
        "missing": max(0, page.missing),
        "questions": [
            {
                "question": disputed.question.key,
                "step": disputed.step,
                "state": disputed.state.value,
                "answers": [vars(answer) for answer in disputed.answers],
                "decision": decision_json(disputed.decision) if disputed.decision else None,
                "history": [decision_json(row) for row in disputed.history],
            }
            for disputed in page.disputed
        ],
    }


def decision_json(row: Adjudication) -> dict[str, object]:
    """A decision; `id` is what a later one names in `supersedes`."""
    return {
        "id": row.pk,
        "question": row.question,
        "step": row.step,
        "value": row.value,
        "overrules": row.overrules,
        "cause": row.cause,
        "note": row.note,
        "informed": row.informed,
        "amendment": row.amendment,
        "decided_at": row.decided_at.isoformat(),
    }


def unblinding_json(campaign: Campaign, row: Unblinding | None) -> dict[str, object]:
    """Who requested the unblinding and who confirmed it, if anyone did."""
    return {
        "campaign": campaign.slug,
        "unblinded": bool(row and row.confirmed_at),
        "reason": row.reason if row else "",
        "requested_by": row.requested_by.email if row else None,
        "confirmed_by": row.confirmed_by.email if row and row.confirmed_by else None,
    }
