"""The form that attaches a judge's verdicts to a campaign."""

from typing import Any

from django import forms

from annotation.models import Campaign
from benchmark.rubrics import rubric_from_content
from reports.core.forms import offer
from reports.verdicts.copies import judges_to_choose, predicates_to_choose


class VerdictsForm(forms.Form):
    """Whose verdicts, on what, and who sees them before the answer."""

    judge = forms.ChoiceField()
    predicate = forms.ChoiceField(label="What the judge was asked")
    question = forms.ChoiceField(label="The campaign's question that it answers")
    before_share = forms.IntegerField(
        label="Places that see the verdict before they answer (%)",
        min_value=0,
        max_value=100,
        initial=0,
        help_text="Drawn for each place, so that leaning towards the judge is measured. Their labels count too.",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**53, initial=1)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        questions = rubric_from_content(campaign.rubric.content).questions
        for name, values in (
            ("judge", judges_to_choose(campaign)),
            ("predicate", predicates_to_choose(campaign)),
            ("question", [q.key for q in questions if q.scale.has_values and not q.scale.stepwise]),
        ):
            offer(self, name, [(value, value) for value in values])

    def terms(self) -> dict[str, Any]:
        return {**self.cleaned_data, "before_share": self.cleaned_data["before_share"] / 100}
