"""The form of a new solver: a model with its prices, and every setting of a recipe."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms

from llm.strict_json import NotJson, loads, storable
from solvers.recipe import Recipe
from solving.runs.actions import System
from work.forms import endpoint_choices, price_field


class SolverForm(forms.Form):
    """What a solver is made of: fields of its own, those of the recipe's settings (`s_NAME`, filled in from `given`),
    and those of a model for each role of the recipe (`ROLE.NAME`).
    """

    slug = forms.SlugField(
        label="Name", max_length=80, help_text="Letters, digits and hyphens. A name gets versions: name-v1."
    )
    endpoint = forms.ChoiceField(
        choices=endpoint_choices, help_text="Endpoints are declared by the deployment."
    )
    model = forms.CharField(max_length=200, help_text="As its server calls it.")
    family = forms.CharField(
        label="Family of the model",
        max_length=100,
        required=False,
        help_text="Used to report self-preference.",
    )
    training_cutoff = forms.DateField(
        label="Training cut-off",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="As declared; nobody can verify it.",
    )
    prompt_price = price_field(label="Price of a million tokens sent")
    completion_price = price_field(label="Price of a million tokens received")
    cached_price = price_field(
        label="Price of a million tokens from the server’s cache",
        help_text="If they cost less than others that are sent.",
        initial=None,
    )
    decoding = forms.CharField(
        required=False,
        initial="{}",
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text='JSON, for example {"temperature": 0.7}. Lengths are settings of the recipe.',
    )

    def __init__(self, recipe: Recipe, given: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.recipe = recipe
        values = recipe.read_settings(given).model_dump(mode="json")
        schema = recipe.settings.model_json_schema()
        for name, described in schema["properties"].items():
            self.fields[f"s_{name}"] = _field_of(name, described, values[name])

        for role in recipe.roles:
            for name, field in _fields_of_a_role().items():
                field.label = f"{role.capitalize()}: {field.label or name}"
                self.fields[f"{role}.{name}"] = field

    def setting_fields(self) -> list[forms.BoundField]:
        """The fields of the recipe's settings."""
        return [field for field in self if field.name.startswith("s_")]

    def system_fields(self) -> list[forms.BoundField]:
        """The fields of the solver itself."""
        return [self[name] for name in self.base_fields]

    def role_fields(self) -> list[tuple[str, list[forms.BoundField], bool]]:
        """Each role with its fields, and whether anything is in them."""
        found = []
        for role in self.recipe.roles:
            fields = [field for field in self if field.name.startswith(f"{role}.")]
            found.append((role, fields, any(field.value() or field.errors for field in fields)))
        return found

    def clean(self) -> dict[str, Any]:
        """What only one JSON object can say is read; a role without a model has nothing else either."""
        said = self.cleaned_data
        for name in ("decoding", *(f"{role}.decoding" for role in self.recipe.roles)):
            try:
                read = storable(loads(said.get(name, "").strip() or "{}"))
            except NotJson as error:
                self.add_error(name, f"Not one JSON object: {error}")
                continue
            if isinstance(read, dict):
                said[name] = read
            else:
                self.add_error(name, "Not one JSON object.")
        for role in self.recipe.roles:
            if self._of_role(role) and not said.get(f"{role}.model"):
                self.add_error(
                    f"{role}.model", "Name the model, or leave the other fields of this role empty."
                )
        return said

    def _of_role(self, role: str) -> dict[str, Any]:
        """What the fields of a role say, without those that are empty."""
        found = {}
        for name in _fields_of_a_role():
            if (value := self.cleaned_data.get(f"{role}.{name}")) not in (None, "", {}):
                found[name] = value
        return found

    def system(self) -> System:
        """The solver that was asked for."""
        said = self.cleaned_data
        chosen = {name[2:]: value for name, value in said.items() if name.startswith("s_")}
        prices = {name: said[name] or Decimal(0) for name in ("prompt_price", "completion_price")}
        return System(
            slug=said["slug"],
            recipe=self.recipe.name,
            endpoint=said["endpoint"],
            model=said["model"],
            settings=chosen,
            decoding=said["decoding"],
            family=said["family"],
            training_cutoff=said["training_cutoff"],
            cached_price=said["cached_price"],
            roles={role: own for role in self.recipe.roles if (own := self._of_role(role))},
            **prices,
        )


def _fields_of_a_role() -> dict[str, forms.Field]:
    sent, received = "price of a million tokens sent", "price of a million tokens received"
    return {
        "model": forms.CharField(
            max_length=200, required=False, help_text="Empty: the solver’s model is asked."
        ),
        "endpoint": forms.ChoiceField(
            choices=lambda: [("", "as for the solver"), *endpoint_choices()], required=False
        ),
        "prompt_price": price_field(label=sent, initial=None),
        "completion_price": price_field(label=received, initial=None),
        "cached_price": price_field(label="price of a million tokens from the server’s cache", initial=None),
        "decoding": forms.CharField(required=False, help_text='JSON, for example {"temperature": 0}.'),
    }


def _field_of(name: str, described: Mapping[str, Any], value: Any) -> forms.Field:
    """The field of a setting, from its JSON schema."""
    words: dict[str, Any] = {
        "label": name.replace("_", " ").capitalize(), "initial": value, "help_text": described.get("description", ""),
    }  # fmt: skip
    if described.get("type") == "boolean":
        return forms.BooleanField(required=False, **words)
    numbers = [one for one in described.get("anyOf", [described]) if one.get("type") == "integer"]
    if numbers:
        ends = {"min_value": numbers[0].get("minimum"), "max_value": numbers[0].get("maximum")}
        return forms.IntegerField(required="anyOf" not in described, **ends, **words)
    if described.get("type") == "array":
        choices = [(one, one.replace("_", " ")) for one in described["items"]["enum"]]
        return forms.MultipleChoiceField(
            choices=choices, widget=forms.CheckboxSelectMultiple, required=False, **words
        )
    if "enum" in described:
        return forms.ChoiceField(choices=[(one, one.replace("_", " ")) for one in described["enum"]], **words)
    return forms.CharField(max_length=2_000, required=False, **words)
