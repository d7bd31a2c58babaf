"""Forms of the page that analyses somebody's own label file."""

from typing import Any

from django import forms

from stats.agreement import LEVELS
from stats.analyses.options import DEFAULT_SEED, Options
from stats.analyses.retrieval import DEFAULT_KS
from stats.analyses.running import ANALYSES, Request, renaming, whole_numbers
from stats.labels import COLUMNS, GRADERS
from stats.peeking import Peek, guessed_columns

OURS = (*COLUMNS, *(name for name in ANALYSES["retrieval"].columns if name not in COLUMNS))
_TITLES = {
    "agreement": "Agreement",
    "audit": "Audit of a judge",
    "corrected": "Corrected score",
    "pairs": "Pairwise comparison",
    "errors": "Errors of the raters",
    "retrieval": "Retrieval",
}


class UploadForm(forms.Form):
    """The file."""

    file = forms.FileField(
        label="Label file", widget=forms.FileInput(attrs={"accept": ".csv,.jsonl,.ndjson,text/csv"})
    )


class AnalysisForm(forms.Form):
    """Which analysis, which column is which, and the options of the command."""

    analysis = forms.ChoiceField(
        choices=[(name, f"{_TITLES[name]}: {analysis.line}") for name, analysis in ANALYSES.items()],
        widget=forms.RadioSelect,
    )
    positive = forms.CharField(
        label="Value that counts as success",
        required=False,
        max_length=200,
        initial="yes",
        help_text="For an audit and a corrected score.",
    )
    question = forms.CharField(
        label="One question only",
        required=False,
        max_length=200,
        help_text="As the question column has it; empty for all.",
    )
    more = forms.CharField(
        label="Columns that the first rows do not show",
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "class": "mono"}),
        help_text="One other=canonical per line, as --map takes them; other= leaves a column out.",
    )
    rater_kind = forms.ChoiceField(
        label="Raters", required=False, choices=[("", "All"), *((kind, kind) for kind in GRADERS)]
    )
    level = forms.ChoiceField(
        label="Level of measurement",
        required=False,
        choices=[("", "Read off the values"), *((level, level) for level in LEVELS)],
    )
    systems = forms.CharField(
        label="Only these systems",
        required=False,
        max_length=2_000,
        help_text="For pairwise comparison; separated by commas.",
    )
    k = forms.CharField(
        label="Cut-offs k", required=False, max_length=100, initial=",".join(map(str, DEFAULT_KS))
    )
    confidence = forms.FloatField(label="Confidence", min_value=0.5, max_value=0.999, initial=0.95)
    seed = forms.IntegerField(min_value=0, max_value=2**53, initial=DEFAULT_SEED)

    MAIN = ("positive", "question")
    OTHERS = ("more", "rater_kind", "level", "systems", "k", "confidence", "seed")

    def __init__(self, data: Any, *, peek: Peek, asked: Request | None = None) -> None:
        super().__init__(data, initial=_initial(asked, peek))
        self.peek = peek
        guess = guessed_columns(peek.header, OURS)
        if asked is not None:
            guess = {name: asked.renaming.get(name, guess[name]) for name in peek.header}
        for number, name in enumerate(peek.header):
            self.fields[f"column_{number}"] = forms.ChoiceField(
                label=f"{name or '(no name)'} is",
                required=False,
                choices=[("", "left out"), *((ours, ours) for ours in OURS)],
                initial=guess[name],
            )

    @property
    def columns(self) -> list[dict[str, Any]]:
        """Each column of the file with its field and its first cells."""
        return [
            {
                "name": name,
                "field": self[f"column_{number}"],
                "cells": [row[number] if number < len(row) else "" for row in self.peek.rows],
            }
            for number, name in enumerate(self.peek.header)
        ]

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MAIN]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.OTHERS]

    def clean_k(self) -> tuple[int, ...]:
        try:
            return whole_numbers(self.cleaned_data["k"]) if self.cleaned_data["k"] else DEFAULT_KS
        except ValueError as refusal:
            raise forms.ValidationError(f"It {refusal}.") from refusal

    def clean_more(self) -> dict[str, str]:
        try:
            lines = (line.strip() for line in self.cleaned_data["more"].splitlines())
            return dict(renaming(line) for line in lines if line)
        except ValueError as refusal:
            raise forms.ValidationError(f"A line {refusal}.") from refusal

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if not self.errors:
            try:
                found["request"] = self._request(found)
            except ValueError as refusal:
                self.add_error(None, f"{str(refusal)[:1].upper()}{str(refusal)[1:]}.")
        return found

    def _request(self, found: dict[str, Any]) -> Request:
        known = ANALYSES[found["analysis"]].columns
        chosen = {name: found[f"column_{number}"] for number, name in enumerate(self.peek.header)}
        renames = {name: ours if ours in known else "" for name, ours in chosen.items()}
        return Request(
            found["analysis"],
            Options(
                seed=found["seed"],
                confidence=found["confidence"],
                question=found["question"] or None,
                rater_kind=found["rater_kind"] or None,
            ),
            positive=found["positive"],
            level=found["level"] or None,
            systems=tuple(name.strip() for name in found["systems"].split(",") if name.strip()),
            ks=found["k"],
            renaming={name: ours for name, ours in renames.items() if ours != name} | found["more"],
        )


def _initial(asked: Request | None, peek: Peek) -> dict[str, Any]:
    if asked is None:
        return {"analysis": likely_analysis(peek)}
    more = {name: ours for name, ours in asked.renaming.items() if name not in peek.header}
    return {
        "analysis": asked.analysis,
        "positive": asked.positive,
        "question": asked.options.question or "",
        "rater_kind": asked.options.rater_kind or "",
        "level": asked.level or "",
        "systems": ", ".join(asked.systems),
        "k": ",".join(map(str, asked.ks)),
        "confidence": asked.options.confidence,
        "seed": asked.options.seed,
        "more": "\n".join(f"{name}={ours}" for name, ours in more.items()),
    }


def likely_analysis(peek: Peek) -> str:
    """What the columns of a file are most probably for."""
    guess = guessed_columns(peek.header, OURS)
    found = {ours: number for number, ours in enumerate(guess.values()) if ours}
    if {"query", "rank"} <= found.keys():
        return "retrieval"
    if "system" in found and any("|" in row[found["system"]] for row in peek.rows):
        return "pairs"
    return "audit" if "rater_kind" in found else "agreement"
