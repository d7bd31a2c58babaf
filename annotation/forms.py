"""Forms of coordinators, and the translation of a plain (scriptless) grading form into content."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from annotation.models import CampaignKind, ProblemRule
from benchmark.models import Release
from benchmark.protocols import get_protocol, protocol_names
from benchmark.rubrics import Rubric


def rubric_choices() -> list[tuple[str, str]]:
    """Labels and titles of every rubric version that has a kind of campaign."""
    return [
        (rubric.label, f"{rubric.title} ({rubric.label})")
        for name in protocol_names()
        for rubric in get_protocol(name).rubrics
        if rubric.kind in CampaignKind.values
    ]


class PlainForm(forms.Form):
    """Labels stand above their fields and need no colon."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})


class SavedCommentForm(PlainForm):
    """One comment to use again."""

    text = forms.CharField(
        label="Comment",
        max_length=2000,
        help_text="LaTeX between dollars, as in $x^2$, is set as a formula.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class SharedCommentForm(SavedCommentForm):
    """A comment of the staff's own for the reviewers of a campaign, or of all of its protocol."""

    everywhere = forms.BooleanField(required=False, label="In every campaign of the protocol")


class CampaignForm(PlainForm):
    """The terms of a new campaign; the action checks what needs rows."""

    name = forms.CharField(max_length=200, help_text="Reviewers see this name: no names of systems in it.")
    release = forms.ModelChoiceField(Release.objects.order_by("name"))
    rubric = forms.ChoiceField(choices=rubric_choices)
    track = forms.CharField(max_length=50, initial="raw")
    reviewers_per_item = forms.IntegerField(
        label="Reviewers per item", min_value=1, max_value=25, initial=3, help_text="Each works alone."
    )
    problem_rule = forms.TypedChoiceField(
        label="Outputs of one problem",
        choices=ProblemRule.choices,
        required=False,
        empty_value=ProblemRule.FREE.value,
    )
    most_per_reviewer = forms.IntegerField(
        label="Most items for one reviewer",
        min_value=1,
        max_value=32767,
        required=False,
        help_text="Empty: no bound.",
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**53, initial=1, help_text="The same seed draws the same sample again."
    )
    due_on = forms.DateField(label="Due on", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    instructions = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Shown to reviewers above their queue.",
    )


class DrawForm(PlainForm):
    """All items, or so many of each stratum."""

    per_stratum = forms.IntegerField(
        label="Items per domain", min_value=1, required=False, help_text="Empty: every answered output."
    )
    leave_out_undecided = forms.BooleanField(
        label="Leave out outputs that wait in quarantine for a decision", required=False
    )


class DrawInstancesForm(PlainForm):
    """All instances of the release, or so many of each domain."""

    per_stratum = forms.IntegerField(
        label="Instances per domain", min_value=1, required=False, help_text="Empty: every instance."
    )


class DrawPairsForm(PlainForm):
    """Which systems are compared, on how many problems, and how many pairs come twice."""

    systems = forms.MultipleChoiceField(
        label="Systems", widget=forms.CheckboxSelectMultiple, help_text="At least two."
    )
    per_stratum = forms.IntegerField(
        label="Problems for each pair of systems",
        min_value=1,
        required=False,
        help_text="Empty: every problem that both answered.",
    )
    mirrored = forms.IntegerField(
        label="Pairs shown twice, with the sides exchanged (%)",
        min_value=0,
        max_value=100,
        initial=10,
        help_text="Shows how steady the preferences are, and whether a side is favoured.",
    )
    leave_out_undecided = forms.BooleanField(
        label="Leave out outputs that wait in quarantine for a decision", required=False
    )

    def __init__(self, *args: Any, systems: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["systems"].choices = systems  # type: ignore[attr-defined]
        self.fields["systems"].initial = [slug for slug, _ in systems]

    def terms(self) -> dict[str, Any]:
        """What draw_pairs takes."""
        values = dict(self.cleaned_data)
        share = values.pop("mirrored") / 100
        return {**values, "mirrored_share": share}


class TrainingForm(PlainForm):
    """The file of a training set."""

    file = forms.FileField(
        label="Training file",
        max_length=200,
        help_text="JSON lines (.jsonl) or a table (.csv); docs/training.md describes both.",
    )
    may_skip = forms.BooleanField(label="Reviewers may skip the training", required=False)


class ReasonForm(PlainForm):
    """A reason that goes into the audit trail."""

    reason = forms.CharField(max_length=1000, required=False)


def content_from_post(rubric: Rubric, post: QueryDict) -> dict[str, Any]:
    """The content object (annotation/answers.py) in the fields of a posted grading form.

    Anchored comments and flags travel as JSON in a hidden field each; text that is not JSON counts as none.
    """
    keys = [question.key for question in rubric.questions]
    return {
        "answers": _filled(post, "answer", keys),
        "steps": _step_labels(post, rubric),
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


def _step_labels(post: QueryDict, rubric: Rubric) -> dict[str, dict[str, str]]:
    """Fields are called step-QUESTION-STEP."""
    found = {}
    for question in rubric.questions:
        start = f"step-{question.key}-"
        labels = {name.removeprefix(start): str(post[name]) for name in post if name.startswith(start)}
        if question.stepwise and labels:
            found[question.key] = labels
    return found


def _anchored(text: str) -> list[Any]:
    try:
        value = json.loads(text or "[]")
    except ValueError:
        return []
    return value if isinstance(value, list) else []
