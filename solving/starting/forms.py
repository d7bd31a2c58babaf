"""The form of a new run."""

from typing import Any

from django import forms
from django.db.models import Q

from benchmark.models import FrozenTuple, Release
from benchmark.protocols import get_protocol, protocol_names
from solving.models import Material, Solver, SolveRun
from solving.runs.actions import Order
from solving.runs.stored import is_outdated
from work.forms import MoneyField


def solvable_protocols() -> list[str]:
    """The protocols whose releases solvers work on."""
    return [name for name in protocol_names() if get_protocol(name).solving is not None]


class RunForm(forms.Form):
    """Which solver works on what, what each attempt may use, and what it is given besides the problem."""

    solver = forms.ChoiceField(help_text="Versions whose recipe has not changed since.")
    release = forms.ModelChoiceField(Release.objects.none(), to_field_name="name")
    split = forms.CharField(
        max_length=50, required=False, help_text="Only this part of the release; empty for all."
    )
    keys = forms.CharField(
        label="Problems",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Keys of problems, separated by spaces; empty for all.",
    )
    track = forms.CharField(max_length=50, initial="raw", help_text="Most protocols have only raw.")
    condition = forms.CharField(
        max_length=50, required=False, help_text="Where the protocol has several; empty for its usual one."
    )
    attempts = forms.IntegerField(label="Attempts at each problem", min_value=1, max_value=1000, initial=1)
    attempt_tokens = forms.IntegerField(
        label="Tokens of each attempt", min_value=1, max_value=2**62, initial=200_000, required=False
    )
    attempt_cost = MoneyField(label="Money of each attempt")
    attempt_seconds = forms.IntegerField(
        label="Active seconds of each attempt", min_value=1, max_value=10**8, required=False
    )
    rule = forms.ChoiceField(
        label="Rule of the cap",
        choices=SolveRun.Rule.choices,
        help_text="Never exceeded: a step is begun only if the most that it can use fits. Begun while less is used: as "
        "published runs count; the last questions may go over, which is shown.",
    )
    max_tokens = forms.IntegerField(
        label="Tokens of the whole run",
        min_value=1,
        max_value=2**62,
        required=False,
        help_text="Empty: what all attempts may use together.",
    )
    max_cost = MoneyField(label="Money of the whole run")
    artifact = forms.ModelChoiceField(
        FrozenTuple.objects.none(), required=False, help_text="A frozen tuple of the release, to search in."
    )
    blocked = forms.ModelChoiceField(
        Material.objects.none(),
        required=False,
        label="Block list",
        help_text="Sources that attempts must not see.",
    )
    bank = forms.ModelChoiceField(
        Material.objects.none(),
        required=False,
        label="Knowledge bank",
        help_text="Known results, for recipes that look into a bank.",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**63 - 1, initial=1)
    draft = forms.IntegerField(
        label="Length of a draft for the estimate, in tokens",
        min_value=1,
        max_value=1_000_000,
        initial=2_000,
        help_text="Published proofs of First Proof have about 4,350 tokens.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.usable = {
            str(one.pk): one for one in Solver.objects.order_by("slug", "-version") if not is_outdated(one)
        }
        solver = self.fields["solver"]
        assert isinstance(solver, forms.ChoiceField)
        solver.choices = [(pk, f"{one.name}: {one.recipe}, {one.model}") for pk, one in self.usable.items()]
        solvable = Release.objects.filter(benchmark__protocol__in=solvable_protocols()).order_by("name")
        named = FrozenTuple.objects.filter(release__in=solvable).select_related("release").order_by("name")
        rows = {
            "release": solvable,
            "artifact": named.exclude(retrieval_file=None),
            "blocked": Material.objects.filter(Q(kind=Material.Kind.BLOCKED)).order_by("name"),
            "bank": Material.objects.filter(Q(kind=Material.Kind.BANK)).order_by("name"),
        }
        for name, queryset in rows.items():
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = queryset

    def clean_solver(self) -> Solver:
        return self.usable[self.cleaned_data["solver"]]

    def order(self) -> Order:
        """What was ordered."""
        said = self.cleaned_data
        named = (
            "release", "track", "condition", "split", "attempts", "attempt_tokens", "attempt_cost", "attempt_seconds",
            "rule", "max_tokens", "max_cost", "artifact", "bank", "blocked", "seed",
        )  # fmt: skip
        return Order(keys=said["keys"].split(), **{name: said[name] for name in named})
