"""Forms of audits: the plan, and the campaign that is drawn from it."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.refusal import Refused
from accounts.site.forms import NumberField
from annotation.models import Campaign
from reports.audit.frame import BUCKET, SYSTEM_BUCKET
from reports.audit.precision import Expected
from reports.audit.request import PER_STRATUM, AuditRequest
from reports.core.choosing import Chosen
from reports.core.forms import offer
from reports.planning.forms import percent_field
from stats.planning.allocations import CUSTOM, EQUAL, NEYMAN, PROPORTIONAL

ALLOCATIONS = (
    (PER_STRATUM, "The same number from each"),
    (PROPORTIONAL, "A total, proportional to size"),
    (NEYMAN, "A total, Neyman: more where the guess is uncertain"),
    (EQUAL, "A total, in equal parts"),
    (CUSTOM, "My own number for each stratum"),
)
_SIZE = "n."  # what the name of a stratum's own number starts with


class PlanForm(forms.Form):
    """Which outputs an audit may draw, how they are put into strata, and how many of each stratum."""

    strata = forms.ChoiceField(
        choices=[
            (SYSTEM_BUCKET, "Judge’s class within each system"),
            (BUCKET, "Judge’s class, systems together"),
        ],
        help_text="Systems together needs fewer audits, and then speaks about all systems rather than each.",
    )
    allocation = forms.ChoiceField(choices=ALLOCATIONS)
    per_stratum = forms.IntegerField(
        label="Outputs per stratum",
        min_value=1,
        max_value=100_000,
        required=False,
        help_text="Strata with fewer outputs are audited completely. Five is the least that says anything.",
    )
    total = forms.IntegerField(
        label="Outputs in total", min_value=1, max_value=10_000_000, required=False, help_text="For a total."
    )
    refuted = percent_field(
        "Guess: experts refute of the judge’s successes, %",
        help_text="From an earlier audit, or a cautious guess.",
    )
    missed = percent_field("Guess: experts accept of everything else, %")
    hours = NumberField(
        label="Hours per audited output", min_value=0.01, max_value=1000, help_text="All reviewers together."
    )
    half_width = percent_field("Wanted half-width, percentage points", least=0.01, required=False)
    buckets = forms.MultipleChoiceField(
        label="Buckets",
        widget=forms.CheckboxSelectMultiple,
        help_text="A corrected score needs every bucket; leave one out only to look at a single kind of error.",
    )
    exclude = forms.MultipleChoiceField(
        label="Leave out what these campaigns have drawn",
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="The new audit then speaks about the remaining outputs only.",
    )

    DEFAULTS: ClassVar[dict[str, str | int | float]] = {
        "strata": SYSTEM_BUCKET,
        "allocation": PER_STRATUM,
        "per_stratum": 5,
        "refuted": 100 * Expected.refuted,
        "missed": 100 * Expected.missed,
        "hours": Expected.hours,
    }

    def __init__(
        self,
        asked: Mapping[str, Any],
        *,
        buckets: Mapping[str, str],
        campaigns: Iterable[Campaign],
        **kwargs: Any,
    ) -> None:
        """What `asked` leaves out takes its default; without any choice of buckets all are meant."""
        data: MultiValueDict[str, Any] = MultiValueDict(
            {name: [value] for name, value in self.DEFAULTS.items()}
        )
        data.setlist("buckets", list(buckets))
        for name in asked:
            data.setlist(name, asked.getlist(name) if isinstance(asked, MultiValueDict) else [asked[name]])
        super().__init__(data, **kwargs)
        self.sizes = {name.removeprefix(_SIZE): asked[name] for name in asked if name.startswith(_SIZE)}
        earlier = [(campaign.slug, campaign.name) for campaign in campaigns]
        offer(self, "buckets", buckets.items())
        offer(self, "exclude", earlier)
        if not earlier:
            del self.fields["exclude"]

    def clean(self) -> None:
        super().clean()
        asked = self.cleaned_data
        allocation = asked.get("allocation")
        needed = PER_STRATUM if allocation == PER_STRATUM else "total"
        if allocation not in (None, CUSTOM) and needed not in self.errors and asked.get(needed) is None:
            self.add_error(needed, "Say how many.")

    def request(self, chosen: Chosen) -> AuditRequest:
        """The audit that is asked for. Raises Refused for a number of a stratum that is none."""
        asked = self.cleaned_data
        sizes = {}
        for name, text in self.sizes.items() if asked["allocation"] == CUSTOM else ():
            if not (text.isascii() and text.isdigit() and len(text) < 10):
                raise Refused(
                    f"{name}: {text!r} is not a number of outputs.", code="bad_sample", field="chosen"
                )
            sizes[name] = int(text)
        return AuditRequest(
            track=chosen.track,
            condition=chosen.condition,
            judge=chosen.judge,
            strata=asked["strata"],
            allocation=asked["allocation"],
            per_stratum=asked["per_stratum"],
            total=asked["total"],
            sizes=sizes,
            expected=Expected(asked["refuted"] / 100, asked["missed"] / 100, asked["hours"]),
            buckets=tuple(asked["buckets"]),
            exclude=tuple(asked.get("exclude", ())),
        )

    @property
    def wanted_half_width(self) -> float | None:
        """The wanted half-width as a share."""
        points: float | None = self.cleaned_data["half_width"]
        return None if points is None else points / 100


class AuditForm(forms.Form):
    """The campaign that asks experts about the drawn outputs."""

    name = forms.CharField(
        max_length=200, help_text="Reviewers see this name: no names of systems or judges in it."
    )
    rubric = forms.ChoiceField()
    reviewers_per_item = forms.IntegerField(
        label="Reviewers per output", min_value=1, max_value=25, initial=3, help_text="Each works alone."
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**53, initial=1, help_text="The same seed draws the same sample again."
    )
    plan = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, data: Any, *, rubrics: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        offer(self, "rubric", [(label, f"{title} ({label})") for label, title in rubrics.items()])
