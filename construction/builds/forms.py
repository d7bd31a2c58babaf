"""Forms of builds: the plan with its recipe, the budget, and what to do with a build."""

from decimal import Decimal
from typing import Any

from django import forms

from accounts.site.forms import NumberField
from construction.builds.actions import Plan
from construction.models import Source, SourceState
from construction.pipeline import get_pipeline
from construction.recipes.about import DescribedNumber, described
from work.forms import endpoint_choices, price_field

_EVERYTHING = [("", "All")]


class SourcesForm(forms.Form):
    """Which sources a build follows its recipe through."""

    domain = forms.ChoiceField(required=False)
    category = forms.ChoiceField(required=False)
    text = forms.CharField(
        max_length=200,
        required=False,
        label="Title or key",
        help_text="Words of a title, or how a key begins.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        readable = Source.objects.filter(state=SourceState.READABLE).exclude(domain="")
        for name in ("domain", "category"):
            values = readable.exclude(**{name: ""}).order_by(name).values_list(name, flat=True).distinct()
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [*_EVERYTHING, *((value, value.replace("_", " ")) for value in values)]


class PlanForm(forms.Form):
    """A name, the model that is asked, its prices, the seed, and every number of the recipe."""

    name = forms.SlugField(max_length=100, help_text="Letters, digits, hyphens and underscores.")
    endpoint = forms.ChoiceField(choices=endpoint_choices)
    model = forms.CharField(max_length=200, help_text="As its server calls it.")
    prompt_price = price_field(label="Price of a million tokens sent")
    completion_price = price_field(label="Price of a million tokens received")
    seed = forms.IntegerField(
        min_value=0, max_value=2**63 - 1, initial=1, help_text="Of every random choice."
    )

    def __init__(self, protocol: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.protocol = protocol
        self.numbers = described(get_pipeline(protocol).numbers)
        for number in self.numbers:
            # A field is left empty where the number is to be ours.
            about: dict[str, Any] = {"required": False, "label": number.name}
            field: forms.Field
            if isinstance(number.ours, bool):
                field = forms.ChoiceField(choices=[("", "ours"), ("yes", "yes"), ("no", "no")], **about)
            elif isinstance(number.ours, int):
                field = forms.IntegerField(min_value=0, **about)
            elif isinstance(number.ours, float):
                field = NumberField(min_value=0, **about)
            else:
                field = forms.CharField(max_length=2_000, **about)
            self.fields[f"n_{number.name}"] = field

    def number_fields(self) -> list[tuple[DescribedNumber, forms.BoundField]]:
        """Each number of the recipe with its field."""
        return [(number, self[f"n_{number.name}"]) for number in self.numbers]

    def plan_fields(self) -> list[forms.BoundField]:
        """The fields that are not numbers of the recipe."""
        return [field for field in self if not field.name.startswith("n_")]

    def different(self) -> dict[str, object]:
        """The numbers that are filled in and differ from ours, as the recipe has them."""
        found: dict[str, object] = {}
        for number in self.numbers:
            value, ours = self.cleaned_data[f"n_{number.name}"], number.ours
            if value in ("", None):
                continue
            if isinstance(ours, bool):
                value = value == "yes"
            elif isinstance(ours, list):  # separated by commas, and points are `rule 2`
                value = [part.strip() for part in str(value).split(",") if part.strip()]
                if ours and isinstance(ours[0], list):
                    value = [[part.rpartition(" ")[0], part.rpartition(" ")[2]] for part in value]
            if value != ours:
                found[number.name] = value
        return found

    def plan(self) -> Plan:
        """The plan."""
        said = self.cleaned_data
        prices = {name: said[name] or Decimal(0) for name in ("prompt_price", "completion_price")}
        return Plan(
            said["name"],
            self.protocol,
            said["endpoint"],
            said["model"],
            self.different(),
            said["seed"],
            **prices,
        )


class EmitForm(forms.Form):
    """The name of a release."""

    release = forms.SlugField(max_length=100, label="Name of the release")
    is_sample = forms.BooleanField(label="Sample data, no results", required=False)
