"""Forms of the steps that set a campaign up. What is drawn has a form for each kind (annotation/campaigns/draws.py)."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from accounts.profile.domains import domain_words
from annotation.campaigns.draw_counts import DrawFrame
from annotation.core.queries import comparable_systems
from annotation.models import Campaign, CampaignKind, ProblemRule, SplitBy
from annotation.rubrics.available import known_rubrics
from benchmark.models import Release, Run
from benchmark.protocols import get_protocol
from benchmark.rubrics import Rubric
from benchmark.subjects import USUAL
from stats.core.text import counted


class TermsForm(forms.Form):
    """What is graded, and by which rubric. The rubric belongs to the release's protocol."""

    name = forms.CharField(max_length=200, help_text="Reviewers see this name, so it must not name a system.")
    release = forms.ModelChoiceField(Release.objects.order_by("name"), empty_label=None)
    track = forms.ChoiceField(
        help_text="The track on which the runs were imported. A construction audit has none."
    )
    condition = forms.TypedChoiceField(
        required=False,
        empty_value=None,
        help_text="If left empty, answers under all conditions are graded; pairs are of the usual one.",
    )
    rubric = forms.ChoiceField(widget=forms.RadioSelect, label="Rubric and kind of work")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tracks = Run.objects.order_by("track").values_list("track", flat=True).distinct()
        release = self.initial.get("release")
        # of the study that the page is opened for first
        self.rubrics = sorted(
            offered_rubrics(), key=lambda row: release is None or row[0] != release.benchmark.protocol
        )
        self.fields["track"].choices = [(track, track) for track in tracks] or [("raw", "raw")]  # type: ignore[attr-defined]
        conditions = Run.objects.order_by("condition").values_list("condition", flat=True).distinct()
        named = [(name or USUAL, name or USUAL) for name in conditions]
        condition = self.fields["condition"]
        assert isinstance(condition, forms.ChoiceField)
        condition.choices = [("", "All conditions"), *named]
        if len(named) < 2:
            del self.fields["condition"]
        self.fields["rubric"].choices = [(rubric.label, rubric.title) for _, rubric in self.rubrics]  # type: ignore[attr-defined]

    def rubric_cards(self) -> list[dict[str, object]]:
        """Every rubric with its questions, for a choice that can be read before it is made."""
        chosen = self["rubric"].value()
        return [
            {
                "id": f"id_rubric_{number}",
                "rubric": rubric,
                "protocol": get_protocol(protocol).title,
                "kind": CampaignKind(rubric.kind).label,
                "checked": rubric.label == chosen,
            }
            for number, (protocol, rubric) in enumerate(self.rubrics)
        ]

    def clean(self) -> None:
        """A rubric of another protocol is refused, whatever its kind of campaign is planned by."""
        release, label = self.cleaned_data.get("release"), self.cleaned_data.get("rubric")
        if release and label and not self._kind(release.benchmark.protocol, label):
            protocol = get_protocol(release.benchmark.protocol)
            self.add_error(
                "rubric", f"This is not a rubric for {release.name}, which is of {protocol.title}."
            )

    def chosen_kind(self) -> str:
        """The kind of campaign that the valid form's rubric makes."""
        return self._kind(self.cleaned_data["release"].benchmark.protocol, self.cleaned_data["rubric"])

    def _kind(self, protocol: str, label: str) -> str:
        kinds = (rubric.kind for name, rubric in self.rubrics if name == protocol and rubric.label == label)
        return next(kinds, "")


def offered_rubrics() -> list[tuple[str, Rubric]]:
    """(protocol, rubric) of every protocol that has a release, where the rubric has a kind of campaign."""
    protocols = Release.objects.order_by("benchmark__protocol").values_list("benchmark__protocol", flat=True)
    return [
        (protocol, rubric)
        for protocol in protocols.distinct()
        for rubric in known_rubrics(protocol)
        if rubric.kind in CampaignKind.values
    ]


class DrawForm(forms.Form):
    """What every kind asks before a draw. A kind's form says in `choices` what its action takes."""

    template: ClassVar[str]
    frame: DrawFrame

    seed = forms.IntegerField(
        min_value=0, max_value=2**53, help_text="The same seed draws the same sample again."
    )
    minutes_per_item = forms.IntegerField(
        label="Minutes for one grading",
        min_value=1,
        max_value=600,
        required=False,
        help_text="Used only to estimate expert hours. Empty: the mean of finished gradings under this rubric.",
    )
    leave_out_undecided = forms.BooleanField(
        label="Leave out outputs that are waiting in quarantine for a decision", required=False
    )

    def __init__(self, *args: Any, campaign: Campaign, frame: DrawFrame, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign, self.frame = campaign, frame

    def refuse_undecided(self, undecided: int) -> None:
        """An error at its field while outputs are waiting for a decision and are not to be left out."""
        if undecided and not self.cleaned_data.get("leave_out_undecided"):
            outputs, them = counted(undecided, "output"), "it" if undecided == 1 else "them"
            self.add_error(
                "leave_out_undecided",
                f"{outputs} may reveal the author. Decide on the quarantine page, or leave {them} out.",
            )

    @abstractmethod
    def choices(self) -> dict[str, object]:
        """What the kind's draw takes; only of a valid form."""


class DomainsForm(DrawForm):
    """Everything, or a sample with a size for each domain."""

    template = "annotation/campaigns/setup/_domains.html"
    units: ClassVar[str]
    extent = forms.ChoiceField(
        label="How many",
        choices=[("all", "All of them"), ("sample", "A sample of each domain")],
        widget=forms.RadioSelect,
        initial="all",
    )
    each = forms.IntegerField(
        label="From each domain",
        min_value=1,
        required=False,
        help_text="For a sample. A domain with fewer gives all it has; a number entered below takes precedence.",
    )

    def __init__(self, *args: Any, campaign: Campaign, frame: DrawFrame, **kwargs: Any) -> None:
        initial = kwargs.pop("initial", None) or {}
        sizes = initial.get("sizes") or {}
        super().__init__(
            *args,
            campaign=campaign,
            frame=frame,
            initial={**initial, "extent": "sample" if sizes else "all"},
            **kwargs,
        )
        self.strata = list(frame.strata.items())
        for number, (domain, size) in enumerate(self.strata):
            self.fields[f"size-{number}"] = forms.IntegerField(
                label=domain_words(domain),
                min_value=1,
                max_value=size,
                required=False,
                initial=sizes.get(domain),
            )

    def size_rows(self) -> list[dict[str, object]]:
        """Each domain with what it has and the field of its size."""
        return [
            {"available": size, "field": self[f"size-{number}"]}
            for number, (_, size) in enumerate(self.strata)
        ]

    def clean(self) -> None:
        super().clean()
        values = self.cleaned_data
        if values.get("extent") == "sample" and not values.get("each"):
            for number in range(len(self.strata)):
                name = f"size-{number}"
                if name not in self.errors and not values.get(name):
                    self.add_error(name, "Enter how many: a domain without any would not be represented.")

    def choices(self) -> dict[str, object]:
        values = self.cleaned_data
        sizes = None
        if values["extent"] == "sample":
            sizes = {
                domain: values[f"size-{number}"] or min(values["each"], size)
                for number, (domain, size) in enumerate(self.strata)
            }
        return {"sizes": sizes}


class OutputsForm(DomainsForm):
    """Answered outputs. Those that may reveal their author are waiting for a decision."""

    units = "answered outputs"

    def clean(self) -> None:
        super().clean()
        self.refuse_undecided(sum(self.frame.undecided.values()))

    def choices(self) -> dict[str, object]:
        return {**super().choices(), "leave_out_undecided": self.cleaned_data["leave_out_undecided"]}


class InstancesForm(DomainsForm):
    """Instances of the release; no output is read, so none waits in quarantine."""

    units = "instances"
    leave_out_undecided = None  # type: ignore[assignment]  # how a form drops a field of its base


class PairsForm(DrawForm):
    """Which systems are compared, on how many problems, and how many pairs come twice."""

    template = "annotation/campaigns/setup/_pairs.html"
    systems = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, help_text="Choose at least two.")
    per_stratum = forms.IntegerField(
        label="Problems for each pair of systems",
        min_value=1,
        required=False,
        help_text="Empty: every problem that both answered. Of several attempts only attempt 1 is compared.",
    )
    mirrored = forms.IntegerField(
        label="Pairs shown twice, with the sides exchanged (%)",
        min_value=0,
        max_value=100,
        help_text="Shows how steady the preferences are, and whether a side is favoured.",
    )

    def __init__(self, *args: Any, campaign: Campaign, frame: DrawFrame, **kwargs: Any) -> None:
        initial = kwargs.pop("initial", None) or {}
        named = comparable_systems(campaign)
        start = {
            "systems": [slug for slug, _ in named],
            **initial,
            "mirrored": round(100 * initial.get("mirrored_share", 0.1)),
        }
        super().__init__(*args, campaign=campaign, frame=frame, initial=start, **kwargs)
        self.fields["systems"].choices = named  # type: ignore[attr-defined]

    def clean(self) -> None:
        super().clean()
        values = self.cleaned_data
        chosen = set(values.get("systems", ()))
        if len(chosen) == 1:
            self.add_error("systems", "A comparison needs at least two systems.")
        elif chosen and not any(chosen.issuperset(pair.split("|")) for pair in self.frame.strata):
            self.add_error("systems", "No problem was answered by two of these systems.")
        self.refuse_undecided(sum(n for system, n in self.frame.undecided.items() if system in chosen))

    def choices(self) -> dict[str, object]:
        values = self.cleaned_data
        return {
            "systems": values["systems"],
            "per_stratum": values["per_stratum"],
            "mirrored_share": values["mirrored"] / 100,
            "leave_out_undecided": values["leave_out_undecided"],
        }


def _due_on() -> forms.DateField:
    return forms.DateField(
        label="Due on",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=(
            "With a due date, reviewers who want reminders get an email from three days before, at most one a day. "
            "The day ends at midnight UTC."
        ),
    )


def _instructions() -> forms.CharField:
    return forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Shown to reviewers in their queue and on each item, so they must not name a system. Formulas "
        "between dollar signs are set.",
    )


class ChangesForm(forms.Form):
    """A form that stores what was changed in it: what a colleague saved after it was opened stays."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.show_hidden_initial = True

    @property
    def changes(self) -> Mapping[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data}


class PeopleForm(ChangesForm):
    """How many reviewers grade an item, who may have what, and until when."""

    reviewers_per_item = forms.IntegerField(
        label="Reviewers per item", min_value=1, max_value=25, help_text="Each grades independently."
    )
    problem_rule = forms.ChoiceField(
        label="Outputs of one problem", choices=ProblemRule.choices, widget=forms.RadioSelect
    )
    split_by = forms.ChoiceField(
        label="An item is split and needs a decision if",
        choices=SplitBy.choices,
        widget=forms.RadioSelect,
        help_text="Counts of splits and the adjudication use it. It is fixed once the campaign opens. Questions that "
        "do not say what is solved are split by different answers either way.",
    )
    most_per_reviewer = forms.IntegerField(
        label="Most items per reviewer",
        min_value=1,
        max_value=32767,
        required=False,
        help_text="Empty: no limit. A reviewer's own limit applies as well.",
    )
    least_authors = forms.IntegerField(
        label="Least number of possible authors",
        min_value=1,
        max_value=100,
        help_text="Reviewers only get answers that, as far as they can know, at least this many systems could have "
        "written. A conflict of interest rules systems out. Below 3, blinding is weak; the audit trail records every "
        "change.",
    )
    due_on = _due_on()


class WhileOpenForm(ChangesForm):
    """What can still change while reviewers are at work."""

    due_on = _due_on()
    instructions = _instructions()


class OptionsForm(ChangesForm):
    """What reviewers are told and asked in addition to the rubric."""

    instructions = _instructions()
    with_search = forms.BooleanField(
        label="Reviewers can search for published statements while they grade",
        required=False,
        help_text="A panel on the grading page. It hides the problem's own paper and what is close to its reference. "
        "Each grade says how many searches were made, not what for. Fixed once the campaign opens.",
    )
    ask_for_guesses = forms.BooleanField(
        label="After each grade, ask which system wrote the answer",
        required=False,
        help_text="Measures whether blinding holds. Reviewers name a system in their own words, without a list. "
        "Once switched on, it cannot be switched off.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if campaign.kind in (CampaignKind.COMPARE, CampaignKind.CONSTRUCTION):
            del self.fields["ask_for_guesses"]  # guesses are about single answers
        elif self.initial.get("ask_for_guesses"):
            self.fields["ask_for_guesses"].disabled = True
