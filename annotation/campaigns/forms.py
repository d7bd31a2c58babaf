"""Forms of coordinators, and the translation of a plain (scriptless) grading form into content."""

import json
import re
from typing import Any

from django import forms
from django.http import QueryDict

from benchmark.rubrics import Rubric
from llm.strict_json import storable


class SavedCommentForm(forms.Form):
    """One comment to use again."""

    text = forms.CharField(
        label="Comment",
        max_length=2000,
        help_text="LaTeX between dollar signs, as in $x^2$, is shown as a formula.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class SharedCommentForm(SavedCommentForm):
    """A comment of the staff's own for the reviewers of a campaign, or of all of its protocol."""

    everywhere = forms.BooleanField(required=False, label="In every campaign of the protocol")


class CalibrationForm(forms.Form):
    """How many items a calibration round has."""

    items = forms.IntegerField(
        label="Items in the round",
        min_value=1,
        initial=5,
        help_text="Taken in the campaign's seeded order among items with two or more reviewers.",
    )


class TrainingForm(forms.Form):
    """The file of a training set."""

    file = forms.FileField(
        label="Training file",
        max_length=200,
        help_text="JSON lines (.jsonl): problem, answer, gold, and a rationale or a note, for each item. Or a table "
        "(.csv): item, problem, answer, question, step, value, rationale, note, with one row for each gold value.",
    )
    may_skip = forms.BooleanField(label="Reviewers may skip the training", required=False)


class ClosingForm(forms.Form):
    """A reason that goes into the audit trail."""

    reason = forms.CharField(max_length=1000, required=False)


def content_from_post(rubric: Rubric, post: QueryDict) -> dict[str, object]:
    """The content object (annotation/grading/answers.py) in the fields of a posted grading form.

    Anchored comments and flags travel as JSON in a hidden field each; text that is not JSON counts as none.
    """
    keys = [question.key for question in rubric.questions]
    steps = {}
    for question in rubric.questions:
        start = f"step-{question.key}-"  # the field of a step is called step-QUESTION-STEP
        labels = {name.removeprefix(start): str(post[name]) for name in post if name.startswith(start)}
        if question.scale.stepwise and labels:
            steps[question.key] = labels
    searches = post.get("searches", "")
    return {
        **({"searches": int(searches)} if re.fullmatch("[0-9]{1,9}", searches) else {}),
        "answers": _filled(post, "answer", keys),
        "steps": steps,
        "abstained": [key for key in keys if post.get(f"abstain-{key}")],
        "comments": _filled(post, "comment", keys),
        "anchored": _anchored(post.get("anchored", "")),
        "flags": _anchored(post.get("flags", "")),
        "note": post.get("note", ""),
        "seen_before": bool(post.get("seen_before")),
        "seen_where": post.get("seen_where", ""),
        "statement_wrong": bool(post.get("statement_wrong")),
        "unjudged": {"reason": post.get("unjudged", ""), "note": post.get("unjudged_note", "")},
    }


def _filled(post: QueryDict, prefix: str, keys: list[str]) -> dict[str, str]:
    values = {key: post.get(f"{prefix}-{key}", "") for key in keys}
    return {key: value for key, value in values.items() if value.strip()}


def _anchored(text: str) -> list[Any]:
    try:
        value = storable(json.loads(text or "[]"))
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) else []
