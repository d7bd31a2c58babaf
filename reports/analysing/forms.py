"""Forms of the pages that analyse a label table: somebody's own file, or stored labels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import capfirst

from accounts.site.forms import NumberField
from reports.analysing.requests import as_row, from_row
from stats.agreement.bundle import LEVELS
from stats.analyses.options import DEFAULT_SEED
from stats.analyses.retrieval import DEFAULT_KS
from stats.analyses.running import ANALYSES, COMMON, Request, renaming, two_numbers, whole_numbers, words
from stats.tables.labels import COLUMNS, GRADERS
from stats.tables.peeking import Peek, guessed_columns

OURS = (*COLUMNS, *(name for name in ANALYSES["retrieval"].columns if name not in COLUMNS))
_TITLES = {
    "agreement": "Agreement",
    "difference": "Difference of two alphas",
    "systems": "Systems",
    "audit": "Audit of a judge",
    "corrected": "Corrected score",
    "calibration": "Calibration of scores",
    "pairs": "Pairwise comparison",
    "gold": "Pairwise judge against gold",
    "errors": "Errors of the raters",
    "retrieval": "Retrieval",
}


CHOICES = [(name, f"{_TITLES[name]}: {analysis.line}") for name, analysis in ANALYSES.items()]


class UploadForm(forms.Form):
    file = forms.FileField(
        label="Label file", widget=forms.FileInput(attrs={"accept": ".csv,.jsonl,.ndjson,text/csv"})
    )


def _tokens(label: str, help_text: str) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=2_000, help_text=help_text)


class OptionsForm(forms.Form):
    """An analysis and the options of the command. Those that the analysis does not take are not read."""

    analysis = forms.ChoiceField(choices=CHOICES, widget=forms.RadioSelect)
    positive = forms.CharField(
        label="Value that counts as success",
        required=False,
        max_length=200,
        initial="yes",
        help_text="For an audit, a corrected score, systems and calibration; several with commas, like flawless,minor.",
    )
    question = forms.CharField(
        label="One question only",
        required=False,
        max_length=200,
        help_text="As the question column has it; empty for all.",
    )
    order = _tokens(
        "Your own words from low to high", "Separated by commas, like reject, major, minor, flawless."
    )
    first = _tokens("First group of raters", "For a difference: names with commas, or expert or judge.")
    second = _tokens("Second group of raters", "Likewise; the groups may overlap.")
    by = forms.ChoiceField(
        label="Split",
        required=False,
        choices=[("", "All systems together"), ("system", "Each system too")],
        help_text="For an audit and a corrected score.",
    )
    exchangeable = forms.BooleanField(
        label="Names of raters mean nothing",
        required=False,
        help_text="For agreement; rows without a rater are allowed then.",
    )
    orders = forms.ChoiceField(
        label="Two orders of a comparison",
        required=False,
        choices=[("agree", "decide if they agree"), ("net", "decide by their net score")],
        help_text="For pairwise comparison.",
    )
    score_range = forms.CharField(
        label="Range of scores",
        required=False,
        max_length=100,
        help_text="For calibration: least and greatest score, like 0,5, which become 0 and 1.",
    )
    rater_kind = forms.ChoiceField(
        label="Raters", required=False, choices=[("", "All"), *((kind, kind) for kind in GRADERS)]
    )
    level = forms.ChoiceField(
        label="Level of measurement",
        required=False,
        choices=[("", "Read off the values"), *((level, level) for level in LEVELS)],
    )
    systems = _tokens("Only these systems", "For pairwise comparison; separated by commas.")
    k = forms.CharField(
        label="Cut-offs k", required=False, max_length=100, initial=",".join(map(str, DEFAULT_KS))
    )
    confidence = NumberField(label="Confidence", min_value=0.5, max_value=0.999, initial=0.95)
    seed = forms.IntegerField(min_value=0, max_value=2**53, initial=DEFAULT_SEED)

    MAIN: tuple[str, ...] = ("positive", "question", "order")
    OTHERS: tuple[str, ...] = (
        "first", "second", "by", "exchangeable", "orders", "score_range", "rater_kind", "level", "systems",
        "k", "confidence", "seed",
    )  # fmt: skip

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MAIN]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.OTHERS]

    def clean_k(self) -> tuple[int, ...]:
        return self._parsed("k", whole_numbers) or DEFAULT_KS

    def clean_score_range(self) -> tuple[float, float] | None:
        return self._parsed("score_range", two_numbers)

    def _parsed(self, name: str, parse: Callable[[str], Any]) -> Any:
        try:
            return parse(self.cleaned_data[name]) if self.cleaned_data[name] else None
        except ValueError as refusal:
            raise forms.ValidationError(f"It {refusal}.") from refusal

    def clean(self) -> None:
        super().clean()
        if not self.errors:
            try:
                self.cleaned_data["request"] = self._request()
            except ValueError as refusal:
                self.add_error(None, f"{capfirst(str(refusal))}.")

    def _request(self, **more: object) -> Request:
        """The request of the valid form; `more` are options that have no field."""
        asked = {**self.cleaned_data, **more}
        for name in ("first", "second", "systems"):
            asked[name] = tuple(filter(None, words(asked[name])))
        asked["order"], asked["orders"] = words(asked["order"]), asked["orders"] or "agree"
        takes = ("analysis", *ANALYSES[asked["analysis"]].takes, *COMMON)
        return from_row({name: asked[name] for name in takes if name in asked})


@dataclass(frozen=True)
class FileColumn:
    """A column of a file with the field that says what it is, and its first cells."""

    name: str
    field: forms.BoundField
    cells: list[str]


class AnalysisForm(OptionsForm):
    """The same for a file: which column is which comes with it."""

    more = forms.CharField(
        label="Columns that the first rows do not show",
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "class": "mono"}),
        help_text="One other=canonical per line, as --map takes them; other= leaves a column out.",
    )
    OTHERS = ("more", *OptionsForm.OTHERS)

    def __init__(self, data: Any, *, peek: Peek, asked: Request | None = None) -> None:
        self.peek = peek
        guess = guessed_columns(peek.header, OURS)
        if asked is None:
            initial = {"analysis": likely_analysis(peek)}
        else:
            guess = {name: asked.renaming.get(name, guess[name]) for name in peek.header}
            more = (f"{name}={ours}" for name, ours in asked.renaming.items() if name not in peek.header)
            initial = as_row(asked) | {"more": "\n".join(more)}
            for name in ("order", "first", "second", "systems", "score_range", "k"):
                if name in initial:
                    initial[name] = ", ".join(map(str, initial[name] or ()))
        super().__init__(data, initial=initial)
        for number, name in enumerate(peek.header):
            self.fields[f"column_{number}"] = forms.ChoiceField(
                label=f"{name or '(no name)'} is",
                required=False,
                choices=[("", "left out"), *((ours, ours) for ours in OURS)],
                initial=guess[name],
            )

    @property
    def columns(self) -> list[FileColumn]:
        return [
            FileColumn(
                name,
                self[f"column_{number}"],
                [row[number] if number < len(row) else "" for row in self.peek.rows],
            )
            for number, name in enumerate(self.peek.header)
        ]

    def clean_more(self) -> dict[str, str]:
        try:
            lines = (line.strip() for line in self.cleaned_data["more"].splitlines())
            return dict(renaming(line) for line in lines if line)
        except ValueError as refusal:
            raise forms.ValidationError(f"A line {refusal}.") from refusal

    def _request(self, **more: object) -> Request:
        found, renamed = self.cleaned_data, {}
        for number, name in enumerate(self.peek.header):
            ours = found[f"column_{number}"]
            if ours not in ANALYSES[found["analysis"]].columns:
                ours = ""
            if ours != name:
                renamed[name] = ours
        return super()._request(renaming={**renamed, **found["more"]}, **more)


def likely_analysis(peek: Peek) -> str:
    """What the columns of a file are most probably for."""
    guess = guessed_columns(peek.header, OURS)
    found = {ours: number for number, ours in enumerate(guess.values()) if ours}
    if {"query", "rank"} <= found.keys():
        return "retrieval"
    if "system" in found and any("|" in row[found["system"]] for row in peek.rows):
        return "pairs"
    return "audit" if "rater_kind" in found else "agreement"
