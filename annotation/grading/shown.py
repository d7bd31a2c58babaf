"""A reviewer's place as plain values for REST: the material, the questions, and their own work on it."""

from annotation.core import queries
from annotation.core.documents import anchored_documents
from annotation.core.material import material, problem_title
from annotation.grading.actions import Submitted
from annotation.grading.reasons import seen_where, unjudged_reason
from annotation.grading.sheets import own_files
from annotation.models import Assignment, AssignmentState, Grade
from benchmark.steps import steps_of


def queue_item(place: Assignment) -> dict[str, object]:
    """A line of the queue."""
    instance = place.item.instance
    return {
        "handle": place.handle,
        "campaign": place.item.campaign.slug,
        "title": problem_title(instance.payload, instance.key),
        "domain": instance.domain,
        "state": place.state,
    }


def own_place(place: Assignment) -> dict[str, object]:
    """Everything that the grading page shows, as text."""
    shown = material(place)
    rubric = place.item.campaign.rubric
    grade = queries.live_grade(place) if place.state == AssignmentState.SUBMITTED else None
    texts = [document for _, document in anchored_documents(shown)]
    return {
        **queue_item(place),
        "title": shown.title,
        "parts": [*shown.instance_parts, *(part for proof in shown.proofs for part in proof.parts)],
        "blocks": [block for document in texts for block in document.blocks],
        "steps": steps_of(texts[0].blocks) if len(texts) == 1 else (),
        "files": own_files(place, shown),
        "shown_sha256": shown.sha256,
        "rubric": {
            "label": rubric.label,
            "sha256": rubric.sha256,
            "questions": rubric.content["questions"],
        },
        "draft": getattr(place, "draft", None),
        "grade": grade_values(grade) if grade else None,
    }


def submitted_values(done: Submitted) -> dict[str, object]:
    """The same as `grade_values` of a grade that was written just now, without reading it back."""
    if done.said is None:
        return grade_values(done.grade)
    return {
        **_own_fields(done.grade),
        "answers": done.said.answers,
        "comments": done.said.comments,
        "flags": done.said.flags,
        "seen_where": done.said.seen_where,
        "unjudged": done.said.unjudged,
    }


def grade_values(grade: Grade) -> dict[str, object]:
    """An own grade with its answers and comments."""
    return {
        **_own_fields(grade),
        "answers": grade.answers.order_by("pk"),
        "comments": grade.comments.order_by("pk"),
        "flags": grade.flags.order_by("pk").prefetch_related("spans"),
        "seen_where": seen_where(grade),
        "unjudged": unjudged_reason(grade),
    }


def _own_fields(grade: Grade) -> dict[str, object]:
    names = (
        "note",
        "seen_before",
        "statement_wrong",
        "active_seconds",
        "searches",
        "rubric_sha256",
        "shown_sha256",
        "created_at",
    )
    return {name: getattr(grade, name) for name in names}
