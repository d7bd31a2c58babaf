"""Forms of the planner. All are sent by GET, so that the address holds the whole plan."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils.text import capfirst

from accounts.refusal import Refused
from accounts.site.forms import NumberField
from stats.analyses import plans
from stats.planning.allocations import PUBLISHED_SAMPLE, PUBLISHED_SIZES
from stats.tables.raw_rows import TableError
from stats.tables.strata import StrataTable, pilot_from_text, strata_from_text

EXAMPLE = "name,size,guess,hours,judge\n" + "\n".join(
    f"{name},{size},{guess},1,{judge}"
    for (name, guess, judge), size in zip(
        (("success", "93 %", "yes"), ("grounded insufficient", "2 %", "no"), ("unsupported", "0.5 %", "no")),
        PUBLISHED_SIZES,
        strict=True,
    )
)


def percent_field(label: str, *, initial: float | None = None, least: float = 0, **kwargs: Any) -> Any:
    """A number of per cent from `least` to 100."""
    return NumberField(label=label, min_value=least, max_value=100, initial=initial, **kwargs)


class PlannerForm(forms.Form):
    """A form whose `document` is the plan; what the estimators refuse becomes an error of the form."""

    plan: Callable[[], plans.Document]  # each planner's own: what the cleaned values ask for

    def document(self) -> plans.Document | None:
        """The plan, or None with an error added."""
        if not self.is_valid():
            return None
        try:
            return self.plan()
        except (ValueError, Refused) as refusal:
            self.add_error(None, f"{capfirst(str(refusal))}.")
            return None


class StrataForm(PlannerForm):
    """A table of strata, how many audits, and what precision is wanted."""

    strata = forms.CharField(
        label="Strata",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "mono"}),
        max_length=20_000,
        initial=EXAMPLE,
        help_text="One line per stratum, pasted from a spreadsheet or typed with commas. Columns: name, size, "
        "guess (share of true successes, like 0.02 or 2 %); and, if you like, hours (one audit, 1 if left out), "
        "judge (yes or no: did the judge call them successes?) and sample (your own number of audits).",
    )
    total = forms.IntegerField(
        label="Audits", min_value=1, max_value=10_000_000, initial=sum(PUBLISHED_SAMPLE)
    )
    half_width = percent_field(
        "Wanted half-width, percentage points",
        initial=1,
        least=0.01,
        required=False,
        help_text="± this much.",
    )

    def clean_strata(self) -> StrataTable:
        try:
            return strata_from_text(self.cleaned_data["strata"])
        except TableError as refusal:
            raise forms.ValidationError(f"{capfirst(str(refusal))}.") from refusal

    def plan(self) -> plans.Document:
        asked = self.cleaned_data
        table, wanted = asked["strata"], asked["half_width"]
        return plans.strata_plan(
            table.strata,
            asked["total"],
            half_width=None if wanted is None else min(wanted / 100, 0.499),
            custom=table.sampled,
        )


def _count(label: str, initial: int) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=0, max_value=1_000_000, initial=initial)


class AgreementForm(PlannerForm):
    """The two-by-two table of a pilot, and a size or a precision."""

    both_yes = _count("Pilot: both say yes", 40)
    first_only = _count("Only the first says yes", 9)
    second_only = _count("Only the second says yes", 6)
    both_no = _count("Both say no", 45)
    items = forms.IntegerField(label="Items of the study", min_value=2, max_value=100_000, initial=200)
    half_width = NumberField(
        label="Wanted half-width of kappa", min_value=0.005, max_value=0.9, initial=0.1, required=False
    )

    def plan(self) -> plans.Document:
        asked = self.cleaned_data
        pilot = ((asked["both_yes"], asked["first_only"]), (asked["second_only"], asked["both_no"]))
        return plans.agreement_plan(pilot, asked["items"], half_width=asked["half_width"])


class ComparisonForm(PlannerForm):
    """Two systems' shares and how often they differ."""

    p1 = percent_field("First system solves, %", initial=7)
    p2 = percent_field("Second system solves, %", initial=3.5)
    discordance = percent_field(
        "Items that only one of them solves, %",
        initial=10.5,
        help_text="From a pilot; at least the difference, at most the sum.",
    )
    power = percent_field("Power, %", initial=80, least=1, help_text="The chance of seeing the difference.")
    cluster_size = NumberField(
        label="Items per cluster",
        min_value=1,
        max_value=100_000,
        initial=1,
        required=False,
        help_text="Attempts at one problem, or instances of one paper; 1 for single items. Where they differ in size, "
        "give a pilot.",
    )
    correlation = NumberField(
        label="Correlation within clusters",
        min_value=0,
        max_value=1,
        initial=0,
        required=False,
        help_text="Of the difference between the systems.",
    )
    pilot = forms.CharField(
        label="Pilot, instead of these two",
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "class": "mono"}),
        max_length=20_000,
        required=False,
        help_text="One line per cluster: items, those that only the first solves, those that only the second solves.",
    )

    def clean_pilot(self) -> list[tuple[int, int, int]]:
        try:
            return pilot_from_text(self.cleaned_data["pilot"])
        except TableError as refusal:
            raise forms.ValidationError(f"{capfirst(str(refusal))}.") from refusal

    def plan(self) -> plans.Document:
        asked = self.cleaned_data
        shares = {key: asked[key] / 100 for key in ("p1", "p2", "discordance", "power")}
        return plans.comparison_plan(
            **shares,
            cluster_size=asked["cluster_size"] or 1,
            correlation=asked["correlation"] or 0,
            pilot=asked["pilot"],
        )


class ProportionForm(PlannerForm):
    """One share, to be known this well."""

    p = percent_field("Expected share, %", initial=7)
    half_width = percent_field("Wanted half-width, percentage points", initial=2, least=0.01)
    population = forms.IntegerField(
        label="Outputs there are", min_value=1, max_value=10_000_000, initial=1400, required=False
    )

    def plan(self) -> plans.Document:
        asked = self.cleaned_data
        half_width = asked["half_width"] / 100
        return plans.proportion_plan(asked["p"] / 100, half_width, population=asked["population"])
