"""The form of an uploaded prompt, for the page and for REST."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from accounts.refusal import Refused
from benchmark.protocols import get_protocol, protocol_names
from judging.asking.prompts import predicate_prompt
from judging.prompts.declared import (
    MAX_BYTES,
    MAX_CHARS,
    DeclarationError,
    fields_of,
    keys_of,
    values_of,
    words_of,
)


def questions() -> list[tuple[str, str]]:
    """ "PROTOCOL PREDICATE" and what it is called, for every predicate that a model can be asked, but for those about
    steps."""
    return [
        (f"{name} {predicate.key}", f"{predicate.key} ({get_protocol(name).title})")
        for name in protocol_names()
        for predicate in get_protocol(name).all_predicates
        if not predicate.steps
    ]


class PromptForm(forms.Form):
    """A prompt as a file or as text, with what it declares."""

    name = forms.SlugField(
        label="Short name", max_length=90, help_text="A prompt with a name that exists is its next version."
    )
    question = forms.ChoiceField(label="Predicate that it decides", choices=questions)
    file = forms.FileField(
        label="Prompt file", required=False, help_text="UTF-8 text; its words are sent unchanged."
    )
    text = forms.CharField(
        label="Or its text", required=False, strip=False, widget=forms.Textarea(attrs={"rows": 12})
    )
    fields_sent = forms.CharField(
        label="Data that follow the prompt",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One line for each field, such as “answer: Generated answer”. If left empty, all fields of the "
        "predicate follow.",
    )
    verdict_key = forms.CharField(
        label="Key of the verdict",
        required=False,
        max_length=MAX_CHARS,
        help_text="If the prompt states a JSON object of its own, such as is_correct. If left empty, our reply format "
        "is asked for after the data.",
    )
    verdicts = forms.CharField(
        label="What its values mean",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One line for each value, such as “true: yes” or “7: yes”; words with their quotation marks. A reply "
        "with any other value is kept as unparsed.",
    )
    reason_key = forms.CharField(label="Key of the reason", required=False, max_length=MAX_CHARS)
    confidence_key = forms.CharField(
        label="Key of the confidence",
        required=False,
        max_length=MAX_CHARS,
        help_text="A number from 0 to 1 or null.",
    )
    other_keys = forms.CharField(
        label="Keys that are not read",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One in each line. Any other key makes a reply unparsed.",
    )

    def clean(self) -> None:
        super().clean()
        cleaned = self.cleaned_data
        if "question" not in cleaned:
            return
        protocol, predicate = cleaned["question"].split(" ", 1)
        ours = predicate_prompt(get_protocol(protocol), predicate)
        self._declare("text", lambda: self._words(cleaned.get("file"), cleaned.get("text", "")))
        self._declare("fields_sent", lambda: fields_of(cleaned.get("fields_sent", ""), ours.fields))
        keys = [cleaned.get(f"{name}_key", "") for name in ("verdict", "reason", "confidence")]
        if keys[0]:
            self._declare("verdicts", lambda: values_of(cleaned.get("verdicts", ""), ours.labels))
            self._declare("other_keys", lambda: keys_of(cleaned.get("other_keys", "")))
            named = [key for key in [*keys, *self.cleaned_data.get("other_keys", [])] if key]
            if len(set(named)) < len(named):
                self.add_error("other_keys", "The same key is named twice.")
        elif any(cleaned.get(name) for name in ("verdicts", "reason_key", "confidence_key", "other_keys")):
            self.add_error(
                "verdict_key", "Name the key of the verdict, or leave the whole reply format empty."
            )

    def _declare(self, name: str, read: Any) -> None:
        try:
            self.cleaned_data[name] = read()
        except DeclarationError as error:
            self.add_error(name, str(error))

    def _words(self, file: UploadedFile | None, text: str) -> str:
        if file and text.strip():
            raise DeclarationError("Give a file or a text, not both.")
        if file:
            return words_of(file.read(MAX_BYTES + 1))
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise DeclarationError("The prompt contains a character that is not text.")
        return words_of(text.replace("\r\n", "\n").encode())  # a browser sends line ends of its own

    def settings(self) -> dict[str, Any]:
        """The arguments of upload_prompt."""
        cleaned = self.cleaned_data
        protocol, predicate = cleaned["question"].split(" ", 1)
        reply = {
            "label": cleaned["verdict_key"],
            "values": cleaned["verdicts"],
            "reason": cleaned["reason_key"],
            "confidence": cleaned["confidence_key"],
            "other": cleaned["other_keys"],
        }
        return {
            "protocol": protocol,
            "predicate": predicate,
            "name": cleaned["name"],
            "text": cleaned["text"],
            "fields": cleaned["fields_sent"],
            "reply": reply if cleaned["verdict_key"] else {},
        }


def prompt_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of upload_prompt from the fields of REST. Raises Refused with the field at fault."""
    named = {
        **given,
        "question": f"{given['protocol']} {given['predicate']}",
        "fields_sent": given.get("fields", ""),
    }
    files = MultiValueDict({"file": [given["file"]]} if given.get("file") else {})
    form = PromptForm({name: named.get(name) for name in PromptForm.base_fields}, files)
    if not form.is_valid():
        name, errors = next(iter(form.errors.items()))
        field = {"fields_sent": "fields", "question": "predicate"}.get(name, name)
        raise Refused(str(errors[0]), code="bad_prompt", field=field)
    return form.settings()
