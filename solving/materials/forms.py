"""The form of a new knowledge bank or block list."""

from django import forms

from llm.strict_json import NotJson, loads, storable
from solving.models import Material

MOST_BYTES = 2_000_000


class MaterialForm(forms.Form):
    """What it is, its name, and its content: one JSON object, as a file or as text."""

    kind = forms.ChoiceField(choices=Material.Kind.choices)
    name = forms.SlugField(
        max_length=100, help_text="Letters, digits and hyphens. Runs refer to it by this name."
    )
    file = forms.FileField(label="JSON file", required=False)
    content = forms.CharField(
        label="Or its text",
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text="One JSON object. Below is an example of each kind.",
    )

    def clean(self) -> None:
        """Reads the object into `content`."""
        super().clean()
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("content", "")
        place = "file" if file else "content"
        if self.errors:
            return
        if bool(file) == bool(text):
            self.add_error(place, "Give a file or a text, not both." if file else "Give a file or a text.")
            return
        given = file.read(MOST_BYTES + 1) if file else text
        if len(given) > MOST_BYTES:
            self.add_error(place, f"It is larger than {MOST_BYTES // 1_000_000} MB.")
            return
        try:
            read = storable(loads(given))
        except NotJson as error:
            self.add_error(place, f"Not one JSON object: {error}")
            return
        if isinstance(read, dict):
            self.cleaned_data["content"] = read
        else:
            self.add_error(place, "Not one JSON object.")
