"""The form of a mapping: patterns for files, or a column for every field."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchmark.collecting.columns import FieldInfo
from benchmark.collecting.mapping import MAX_MACROS, Reading
from benchmark.collecting.paths import Guess, readings_of

OWN = "own"


class _Columns(forms.Select):
    """A choice that is written in one piece. Django's own takes a template for every option: three seconds for the page
    of a table with a thousand columns."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        options = (
            (flatatt({"value": column, "selected": column == (value or "")}), label)
            for column, label in self.choices
        )
        own = flatatt(self.build_attrs({**self.attrs, "name": name}, attrs))
        return format_html(
            "<select{}>{}</select>", own, format_html_join("", "<option{}>{}</option>", options)
        )


class MappingForm(forms.Form):
    """What both kinds of upload ask for."""

    system = forms.CharField(
        label="System",
        max_length=100,
        required=False,
        help_text="Who wrote the outputs, if the files do not say it. Reviewers never see it.",
    )
    domain = forms.CharField(
        label="Field of mathematics",
        max_length=100,
        required=False,
        help_text="Of problems that do not name one.",
    )
    blank_abstains = forms.BooleanField(
        label="Blank outputs count as abstained",
        required=False,
        help_text="An empty text, “N/A”, or a title alone. The next page lists them.",
    )

    macros = forms.CharField(
        label="Macros",
        max_length=MAX_MACROS,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="Definitions such as \\newcommand, put in front of every LaTeX text that uses one of them.",
    )

    def __init__(self, *args: Any, reading: Reading, new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reading = reading
        for name in ("system", "domain", "blank_abstains", "macros"):
            self.fields[name].initial = getattr(reading, name)
        if not new:
            del self.fields["domain"]

    def _shared(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "system": given.get("system", "").strip(),
            "domain": given.get("domain") or self.reading.domain,
            "blank_abstains": given.get("blank_abstains", self.reading.blank_abstains),
            "macros": given.get("macros", "").replace("\r\n", "\n"),
        }


class FilesForm(MappingForm):
    """Files: which part of the path is the system and which the problem."""

    outputs = forms.ChoiceField(label="Outputs", widget=forms.RadioSelect, required=False)
    own = forms.CharField(
        label="Another pattern",
        max_length=200,
        required=False,
        help_text="{system} and {problem} are parts of the path, {attempt} is a number (0, 1 or 01), * is anything.",
    )
    problems = forms.CharField(
        label="Problems",
        max_length=200,
        required=False,
        help_text="Where the statements are, for example problems/{problem} or {problem}/statement.",
    )
    field_order = ["outputs", "own", "system", "problems", "domain", "macros", "blank_abstains"]

    def __init__(self, *args: Any, guesses: Sequence[Guess], new: bool, **kwargs: Any) -> None:
        super().__init__(*args, new=new, **kwargs)
        known = {guess.outputs: guess for guess in guesses if guess.outputs}
        choices = [
            (pattern, f"{pattern} ({max(1, len(guess.systems))} × {len(guess.keys)})")
            for pattern, guess in known.items()
        ]
        choices += [(OWN, "Another pattern")]
        if new:
            choices += [("", "No outputs yet, only problems")]
        outputs = self.fields["outputs"]
        assert isinstance(outputs, forms.ChoiceField)
        outputs.choices = choices
        is_known = self.reading.outputs in known or not self.reading.outputs
        outputs.initial = self.reading.outputs if is_known else OWN
        self.fields["own"].initial = "" if is_known else self.reading.outputs
        self.fields["problems"].initial = self.reading.problems
        if not new:
            del self.fields["problems"]

    def clean_own(self) -> str:
        typed: str = self.cleaned_data["own"].strip()
        if typed and "own" in self.changed_data and self.cleaned_data.get("outputs") != OWN:
            raise forms.ValidationError("Choose “Another pattern” above, or leave this empty.")
        return typed

    def reading_given(self) -> Reading:
        """The mapping of a valid form. Raises Refused for a pattern that cannot be read."""
        given = self.cleaned_data
        outputs = given["own"] if given["outputs"] == OWN else given["outputs"]
        problems = given.get("problems", self.reading.problems).strip()
        for pattern in filter(None, (outputs, problems)):
            readings_of(pattern)
        shared = self._shared()
        if "{system}" in outputs:
            shared["system"] = ""
        return Reading(outputs=outputs, problems=problems, **shared)


class TableForm(MappingForm):
    """A table: a column for every field."""

    def __init__(
        self,
        *args: Any,
        fields: Sequence[FieldInfo],
        columns: Sequence[str],
        of_problems: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, new=of_problems, **kwargs)
        if of_problems:
            del self.fields["system"]
            del self.fields["blank_abstains"]
        else:
            self.fields["ids"] = forms.CharField(
                label="Names of problems",
                max_length=200,
                required=False,
                initial=self.reading.ids,
                help_text="If a name holds more than the problem: {problem}:{attempt}, for example.",
            )
        if any(each.name in ("format", "statement_format") for each in fields):
            self.fields["written"] = forms.ChoiceField(
                label="Texts are written in",
                choices=[
                    ("latex", "LaTeX"),
                    ("markdown", "Markdown, with formulas"),
                    ("plain", "plain text"),
                ],
                required=False,
                initial=self.reading.written,
                help_text="Of rows that do not say it. Models mostly answer in Markdown: **bold**, ### headings.",
            )
        choices = [("", "–"), *((column, column) for column in columns)]
        for each in fields:
            self.fields[f"field:{each.name}"] = forms.ChoiceField(
                label=each.name,
                choices=choices,
                widget=_Columns,
                required=False,
                initial=self.reading.columns.get(each.name, ""),
                help_text=each.meaning,
            )
        self.of = fields

    def rows(self) -> list[tuple[FieldInfo, forms.BoundField]]:
        """Each field of the protocol with the choice of its column."""
        return [(each, self[f"field:{each.name}"]) for each in self.of]

    def reading_given(self) -> Reading:
        """The mapping of a valid form."""
        columns: Mapping[str, str] = {
            each.name: column for each in self.of if (column := self.cleaned_data[f"field:{each.name}"])
        }
        ids = self.cleaned_data.get("ids", "").strip()
        written = self.cleaned_data.get("written") or self.reading.written
        return Reading(table=self.reading.table, columns=columns, ids=ids, written=written, **self._shared())
