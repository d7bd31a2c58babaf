"""The form of the search page."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet

from retrieval.recipes import HYBRID
from search.models import Corpus, Reason
from search.searching.request import DEFAULT_K, FILTERS, MAX_FORMULA, MAX_K, MAX_QUERY, Asked, filters_from

MODES = [
    (HYBRID, "Words and formulas"),
    ("words", "Words alone"),
    ("formula", "Formulas alone"),
    ("meaning", "Meaning alone"),
]
LICENCES = [("", "any"), ("open", "open"), ("unstated", "unstated"), ("closed", "closed")]


class SearchForm(forms.Form):
    """What is looked for, and among which statements."""

    MOST = MAX_K

    q = forms.CharField(
        label="Search for a statement",
        required=False,
        max_length=MAX_QUERY,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off", "spellcheck": "false"}),
        help_text="Words, or a formula between dollars: compactness theorem, $a_n \\to 0$.",
    )
    corpus = forms.ModelChoiceField(Corpus.objects.none(), to_field_name="slug", label="In", empty_label=None)
    formula = forms.CharField(
        label="Formula", required=False, max_length=MAX_FORMULA, help_text="LaTeX, without dollars."
    )
    mode = forms.ChoiceField(label="Rank by", required=False, choices=MODES)
    kinds = forms.CharField(label="Kind", required=False, max_length=50, help_text="Such as lemma.")
    sources = forms.CharField(label="Source", required=False, max_length=200)
    authors = forms.CharField(label="Author", required=False, max_length=300)
    documents = forms.CharField(label="Paper", required=False, max_length=200, help_text="Its key.")
    year_from = forms.IntegerField(label="From year", required=False, min_value=0, max_value=9999)
    year_to = forms.IntegerField(label="To year", required=False, min_value=0, max_value=9999)
    include_unknown_years = forms.BooleanField(label="Unknown years too", required=False)
    licences = forms.ChoiceField(label="Licence", required=False, choices=LICENCES)
    k = forms.IntegerField(required=False, min_value=1, max_value=MAX_K, widget=forms.HiddenInput)
    similar = forms.CharField(required=False, max_length=200)  # the key of a statement, instead of words

    def __init__(self, data: Any = None, *, corpora: QuerySet[Corpus]) -> None:
        if data is not None and "corpus" not in data and corpora:
            data = data.copy()
            data["corpus"] = corpora[0].slug
        super().__init__(data)
        field = self.fields["corpus"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = corpora

    @property
    def asks(self) -> bool:
        """Whether anything is looked for."""
        said = self.cleaned_data
        return bool(said["q"].strip() or said["formula"].strip() or said["similar"])

    @property
    def filters(self) -> list[forms.BoundField]:
        """The fields that restrict what is searched, and how it is ranked."""
        return [self[name] for name in self.fields if name in (*FILTERS, "formula", "mode")]

    @property
    def choices_made(self) -> list[tuple[str, str, str]]:
        """(label, value, parameters of the page without it) of each filter, and of the ranking, that is chosen."""
        if not (self.is_bound and self.is_valid()):
            return []
        chosen = []
        for name in (field.name for field in self.filters):
            value = self.cleaned_data[name]
            if value in (None, "", False, HYBRID):
                continue
            shown = dict(MODES).get(value, value) if name == "mode" else "" if value is True else str(value)
            chosen.append((self.label_of(name), shown, urlencode(self.without(name), doseq=True)))
        return chosen

    def asked(self) -> Asked:
        """The search."""
        said = self.cleaned_data
        return Asked(
            said["q"].strip(),
            said["formula"].strip(),
            said["mode"] or HYBRID,
            said["k"] or DEFAULT_K,
            filters_from(said),
        )

    def label_of(self, name: str) -> str:
        """What the page calls a filter."""
        return str(self.fields[name].label)

    def without(self, name: str) -> dict[str, list[str]]:
        """The parameters of the page without one filter."""
        return {key: values for key, values in self._given().items() if key != name}

    def with_k(self, k: int) -> dict[str, list[str]]:
        """The parameters of the page for more results."""
        return {**self._given(), "k": [str(k)]}

    def _given(self) -> dict[str, list[str]]:
        return {key: [self.data[key]] for key in self.data if key in self.fields and self.data[key]}


class VoteForm(forms.Form):
    """What a person says about a result; a reason alone is a report, so not relevant."""

    corpus = forms.SlugField()
    key = forms.CharField(max_length=200)
    value = forms.TypedChoiceField(
        choices=[(1, ""), (-1, ""), (0, "")], coerce=int, required=False, empty_value=None
    )
    query = forms.IntegerField(required=False)
    reason = forms.ChoiceField(choices=[("", ""), *Reason.choices], required=False)

    def clean(self) -> None:
        super().clean()
        said = self.cleaned_data
        if said.get("reason") and "value" in said and said["value"] is None:
            said["value"] = -1  # a report
        if said.get("value") is None:
            raise forms.ValidationError("Say whether it is relevant.")
        if said.get("reason") and said["value"] != -1:
            raise forms.ValidationError("Only what is not relevant has a reason.")
