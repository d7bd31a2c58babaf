"""Forms of judging: a judge version, and what to ask it."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, cast

from django import forms
from django.conf import settings

from accounts.refusal import Refused
from benchmark.models import Release, Run
from benchmark.protocol import ProgramJudge
from benchmark.protocols import get_protocol, protocol_names
from benchmark.subjects import USUAL
from judging.asking.prompts import predicates_about
from judging.models import Judge, RunSubject, UploadedPrompt
from llm.completion import decoding_fault
from llm.strict_json import storable
from work.endpoints import declared_endpoints
from work.forms import MoneyField, price_field


def judging_protocols() -> list[str]:
    """Protocols that have questions for judges."""
    return [name for name in protocol_names() if get_protocol(name).all_predicates]


class JudgeForm(forms.Form):
    """Everything that makes a judge version; endpoints can only be chosen, never typed."""

    slug = forms.SlugField(label="Short name", max_length=100, help_text="Letters, digits and hyphens.")
    protocol = forms.ChoiceField(label="Protocol")
    endpoint = forms.ChoiceField(label="Endpoint", help_text="Endpoints are declared by the deployment.")
    model = forms.CharField(label="Model", max_length=200, help_text="The model's name at the endpoint.")
    family = forms.CharField(
        label="Model family", max_length=100, required=False, help_text="Used to report self-preference."
    )
    votes = forms.IntegerField(
        label="Votes",
        min_value=1,
        max_value=99,
        initial=1,
        help_text="Independent answers per question. With an odd number there are no ties between two labels.",
    )
    early_stop = forms.BooleanField(
        label="Stop early",
        initial=True,
        required=False,
        help_text="Votes that can no longer change the majority are not asked for.",
    )
    repair = forms.BooleanField(
        label="Repair",
        initial=True,
        required=False,
        help_text="If a reply cannot be read, the judge is asked once more, as a separate call.",
    )
    decoding = forms.CharField(
        label="Decoding",
        initial='{"temperature": 0}',
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="A JSON object of decoding parameters, for example a temperature.",
    )

    own_prompts = forms.MultipleChoiceField(
        label="Uploaded prompts",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Each takes the place of the protocol’s prompt for its predicate.",
    )
    prompt_price = price_field(label="Price per million prompt tokens", initial=None)
    completion_price = price_field(label="Price per million completion tokens", initial=None)
    budget_tokens = forms.IntegerField(label="Most tokens of one run", min_value=1, required=False)
    budget_cost = MoneyField(
        label="Most cost of one run",
        help_text="A cap needs max_tokens in the decoding; one on cost also needs prices, in the same currency.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        endpoints = sorted(declared_endpoints(settings.JUDGE_ENDPOINTS))
        _choice(self, "endpoint").choices = [(name, name) for name in endpoints]
        _choice(self, "protocol").choices = [(name, name) for name in judging_protocols()]
        uploaded = UploadedPrompt.objects.order_by("protocol", "name", "-version").defer("text")
        _choice(self, "own_prompts").choices = [
            (f"{prompt.protocol} {prompt.label}", f"{prompt.label} ({prompt.protocol}, {prompt.predicate})")
            for prompt in uploaded
        ]
        if not uploaded:
            del self.fields["own_prompts"]

    def clean_decoding(self) -> dict[str, object]:
        try:
            decoding = storable(json.loads(self.cleaned_data["decoding"] or "{}"))
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(f"This is not JSON: {error}") from error
        if not isinstance(decoding, dict):
            raise forms.ValidationError("Give a JSON object, for example {}.")
        if fault := decoding_fault(decoding):
            raise forms.ValidationError(fault)
        return decoding

    def clean(self) -> None:
        super().clean()
        cleaned = self.cleaned_data
        for chosen in cleaned.get("own_prompts", []):
            if chosen.partition(" ")[0] != cleaned.get("protocol"):
                self.add_error("own_prompts", f"{chosen.partition(' ')[2]} is for another protocol.")

    def settings(self) -> dict[str, Any]:
        """The arguments of create_judge."""
        cleaned = dict(self.cleaned_data)
        cleaned["own_prompts"] = [name.partition(" ")[2] for name in cleaned.pop("own_prompts", [])]
        prices = {kind: cleaned.pop(f"{kind}_price") for kind in ("prompt", "completion")}
        budget = {kind: cleaned.pop(f"budget_{kind}") for kind in ("tokens", "cost")}
        return {**cleaned, "prices": _given(prices), "budget": _given(budget)}


def _given(values: Mapping[str, object]) -> dict[str, object]:
    """What was filled in; decimals as the shortest text, so that 2 and 2.0 are the same judge version."""
    return {
        name: f"{value.normalize():f}" if isinstance(value, Decimal) else value
        for name, value in values.items()
        if value is not None
    }


def known_programs() -> list[tuple[str, ProgramJudge]]:
    """(protocol, program) for every program that can be a judge."""
    return [(name, program) for name in protocol_names() for program in get_protocol(name).program_judges]


class ProgramForm(forms.Form):
    """A judge that is a program of a protocol: only its name is free."""

    slug = forms.SlugField(label="Short name", max_length=100, help_text="Letters, digits and hyphens.")
    program = forms.ChoiceField(label="Program")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice(self, "program").choices = [
            (f"{protocol} {program.label}", f"{program.title or program.label} ({protocol}, {program.label})")
            for protocol, program in known_programs()
        ]

    def settings(self) -> dict[str, str]:
        """The arguments of create_judge."""
        protocol, program = self.cleaned_data["program"].split(" ", 1)
        return {"slug": self.cleaned_data["slug"], "protocol": protocol, "program": program}


def judge_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of create_judge from the fields of JudgeForm by name, or from slug, protocol and `program`.

    What is None or missing counts as empty; `decoding` is JSON text. Raises Refused with the field at fault.
    """
    if given.get("program"):
        extra = [name for name in ("model", "endpoint", "family", "own_prompts") if given.get(name)]
        if extra or given.get("votes", 1) != 1 or given.get("decoding", "{}") != "{}":
            raise Refused("A program has no model, endpoint, decoding or votes.", code="program_settings")
        if given["protocol"] not in protocol_names():
            known = ", ".join(protocol_names())
            raise Refused(f"There is no protocol {given['protocol']!r}; there are {known}.", code="bad_judge")
        return {name: given[name] for name in ("slug", "protocol", "program")}
    form = JudgeForm({name: given.get(name) for name in JudgeForm.base_fields if name != "own_prompts"})
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise Refused(str(errors[0]), code="bad_judge", field=field)
    return {**form.settings(), "own_prompts": given.get("own_prompts", [])}


OWN_CAP = "If left empty, the judge's own budget applies, if it has one."


class AskForm(forms.Form):
    """What a judge is to be asked: the part that runs on outputs and on instances share."""

    subject: ClassVar[str]
    predicates = forms.MultipleChoiceField(
        label="Predicates", widget=forms.CheckboxSelectMultiple, help_text="Choose at least one."
    )
    priority = forms.IntegerField(
        initial=0, min_value=-100, max_value=100, required=False, help_text="Higher runs first."
    )
    max_tokens = forms.IntegerField(label="Most tokens", min_value=1, required=False, help_text=OWN_CAP)
    max_cost = MoneyField(label="Most cost", help_text=OWN_CAP)

    def __init__(self, judge: Judge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = predicates_about(self.subject, judge)
        _choice(self, "predicates").choices = [(key, key) for key in known]
        self.fields["predicates"].initial = known
        if judge.program:
            del self.fields["max_tokens"], self.fields["max_cost"]

    def clean_priority(self) -> int:
        return self.cleaned_data["priority"] or 0

    def question(self) -> dict[str, Any]:
        """The arguments of `ask`, without actor and judge."""
        return {"subject": self.subject, **self.cleaned_data}


class AskOutputsForm(AskForm):
    """Which outputs a judge is to be asked about."""

    subject = RunSubject.OUTPUT
    target = forms.ChoiceField(label="Release and track")
    after = forms.ModelChoiceField(
        label="Only outputs that another judge left undecided",
        queryset=Judge.objects.none(),
        required=False,
        empty_label="Ask about all outputs",
        help_text="Where that judge says yes or no, its verdict counts and this judge is not asked.",
    )
    condition = forms.ChoiceField(
        label="Condition",
        required=False,
        help_text="If left empty, runs under all conditions are asked about.",
    )
    field_order = ("target", "condition", "predicates", "after")

    def __init__(self, judge: Judge, *args: Any, **kwargs: Any) -> None:
        super().__init__(judge, *args, **kwargs)
        tracks = (
            Run.objects.filter(release__benchmark__protocol=judge.protocol)
            .values_list("release__name", "track")
            .distinct()
            .order_by("release__name", "track")
        )
        _choice(self, "target").choices = [(f"{name} {track}", f"{name} ({track})") for name, track in tracks]
        conditions = Run.objects.filter(release__benchmark__protocol=judge.protocol).order_by("condition")
        names = [name or USUAL for name in conditions.values_list("condition", flat=True).distinct()]
        _choice(self, "condition").choices = [("", "All conditions"), *((name, name) for name in names)]
        if len(names) < 2:
            del self.fields["condition"]
        earlier = Judge.objects.filter(protocol=judge.protocol, verdicts__output__isnull=False)
        earlier = earlier.exclude(pk=judge.pk)
        if earlier.exists():
            cast("forms.ModelChoiceField[Judge]", self.fields["after"]).queryset = earlier.distinct()
        else:
            del self.fields["after"]

    def clean_target(self) -> tuple[Release, str]:
        name, track = self.cleaned_data["target"].split(" ", 1)
        release = Release.objects.select_related("benchmark").filter(name=name).first()
        if release is None:
            raise forms.ValidationError("This release no longer exists.")
        return release, track

    def question(self) -> dict[str, Any]:
        arguments = super().question()
        release, track = arguments.pop("target")
        return {"release": release, "track": track, **arguments}


class AskInstancesForm(AskForm):
    """The release about whose instances a judge is to be asked."""

    subject = RunSubject.INSTANCE
    release = forms.ModelChoiceField(
        label="Release", queryset=Release.objects.none(), to_field_name="name", empty_label=None
    )
    field_order = ("release", "predicates")

    def __init__(self, judge: Judge, *args: Any, **kwargs: Any) -> None:
        super().__init__(judge, *args, **kwargs)
        known = Release.objects.filter(benchmark__protocol=judge.protocol).order_by("name")
        cast("forms.ModelChoiceField[Release]", self.fields["release"]).queryset = known.select_related(
            "benchmark"
        )


class SteerForm(forms.Form):
    """Pause, resume or cancel."""

    to = forms.ChoiceField(choices=[("paused", "paused"), ("running", "running"), ("cancelled", "cancelled")])
    reason = forms.CharField(max_length=500, required=False)


class AdjustForm(forms.Form):
    """Another priority or cap for a run; empty leaves a setting as it is."""

    priority = forms.IntegerField(min_value=-100, max_value=100, required=False)
    max_tokens = forms.IntegerField(label="Most tokens", min_value=1, required=False)
    max_cost = MoneyField(label="Most cost")


def _choice(form: forms.Form, name: str) -> forms.ChoiceField:
    return cast(forms.ChoiceField, form.fields[name])
