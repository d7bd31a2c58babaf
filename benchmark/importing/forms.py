"""Forms of imports: a file and the other arguments of the action."""

import zipfile
from pathlib import Path, PurePosixPath
from typing import ClassVar

from django import forms
from django.utils.text import slugify

from benchmark.models import ImportKind, Release
from benchmark.protocols import protocol_choices


class ImportForm(forms.Form):
    """What both kinds ask for: the file. `terms` gives the other arguments of the import."""

    kind: ClassVar[str]
    title: ClassVar[str]
    template: ClassVar[str] = "benchmark/importing/import_new.html"
    file = forms.FileField(max_length=255)

    def stored_file(self) -> tuple[Path, str]:
        """The received file and its name, for a valid form; the import takes it over."""
        sent = self.cleaned_data["file"]
        return Path(sent.temporary_file_path()), sent.name

    def terms(self) -> dict[str, str]:
        """The other arguments of import_release or import_outputs; only for a valid form."""
        return {name: value for name, value in self.cleaned_data.items() if name != "file"}


class ReleaseImportForm(ImportForm):
    """A release: protocol and name."""

    kind = ImportKind.RELEASE
    title = "Import a release"
    protocol = forms.ChoiceField(choices=protocol_choices)
    name = forms.SlugField(
        label="Name of the release", max_length=100, help_text="Letters, digits, hyphens and underscores."
    )
    field_order = ["protocol", "name", "file"]


class OutputsImportForm(ImportForm):
    """Outputs of one system on a release."""

    kind = ImportKind.OUTPUTS
    title = "Import outputs of a system"
    release = forms.ModelChoiceField(Release.objects.order_by("name"), to_field_name="name", empty_label=None)
    system = forms.SlugField(
        label="Short name of the system", max_length=100, help_text="Reviewers never see it."
    )
    system_name = forms.CharField(
        label="Display name",
        max_length=200,
        required=False,
        help_text="If left empty, the short name is used.",
    )
    family = forms.CharField(
        max_length=100, required=False, help_text="The family of models that it belongs to."
    )
    track = forms.SlugField(max_length=50, initial="raw")
    condition = forms.SlugField(
        max_length=50, required=False, help_text="Leave empty for the usual run of the system."
    )
    tuple_name = forms.SlugField(
        label="Frozen tuple",
        max_length=100,
        required=False,
        help_text="The name of a frozen tuple that the run joins. A frozen retrieval artifact in it decides which "
        "sources the outputs were shown.",
    )
    key = forms.CharField(
        label="Column that names the problem",
        max_length=200,
        required=False,
        help_text="Of files that other tools wrote, if it is not the usual one: metadata.problem, for example.",
    )
    ids = forms.CharField(
        label="Names of problems",
        max_length=200,
        required=False,
        help_text="Of files that other tools wrote, if a name holds more than the problem: {problem}:{attempt}, for "
        "example.",
    )
    field_order = [
        "release",
        "system",
        "system_name",
        "family",
        "track",
        "condition",
        "tuple_name",
        "file",
        "key",
        "ids",
    ]

    def terms(self) -> dict[str, str]:
        return {**super().terms(), "release": self.cleaned_data["release"].name}


class FilesImportForm(ImportForm):
    """A folder, an archive or a table: of a new study, or outputs on a release that exists."""

    kind = ImportKind.FILES
    title = "Import files"
    template = "benchmark/collecting/upload.html"
    file = forms.FileField(
        max_length=255,
        label="Folder, ZIP, or table",
        widget=forms.ClearableFileInput(
            attrs={"accept": ".zip,.tex,.md,.txt,.json,.jsonl,.ndjson,.csv,.tsv,.xlsx,.eval"}
        ),
    )
    release = forms.ModelChoiceField(
        Release.objects.order_by("name"),
        label="Study",
        to_field_name="name",
        required=False,
        empty_label="A new study",
    )
    name = forms.SlugField(
        label="Name of the new study",
        max_length=100,
        required=False,
        # the browser says so before it sends a large file
        widget=forms.TextInput(attrs={"pattern": r"[a-zA-Z0-9_\-]+"}),
        help_text="Letters, digits, hyphens and underscores. If left empty, the name of the folder or file.",
    )
    protocol = forms.ChoiceField(
        label="What is graded",
        initial="proofs",
        required=False,
        choices=protocol_choices,
    )
    field_order = ["file", "release", "name", "protocol"]
    format: ClassVar[str] = "proofs"  # whose fields the page leads to

    def terms(self) -> dict[str, str]:
        """The release, by name, and the protocol if it is new."""
        given, release = self.cleaned_data, self.cleaned_data["release"]
        if release:
            return {"release": release.name, "protocol": release.benchmark.protocol}
        name = given["name"] or slugify(PurePosixPath(given["file"].name).stem)[:100] or "study"
        return {"release": name, "protocol": given["protocol"] or "proofs"}


class LabelsImportForm(ImportForm):
    """Labels of a study with their comments, as tables or as reports of referees."""

    kind = ImportKind.LABELS
    title = "Import labels or reports"
    template = "reports/referees/upload.html"
    file = forms.FileField(
        max_length=255,
        label="Reports, a table of labels, or an evaluator's result file",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.md,.tex,.csv,.jsonl,.ndjson,.json"}),
    )
    comments = forms.FileField(
        max_length=255,
        label="Table of their comments",
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.jsonl,.ndjson"}),
        help_text="If the labels are a table: the comments on passages, as they are exported.",
    )
    release = forms.ModelChoiceField(
        Release.objects.order_by("name"), label="Study", to_field_name="name", empty_label=None
    )
    campaign = forms.SlugField(
        label="Campaign of the reports",
        max_length=100,
        required=False,
        initial="referee-reports",
        help_text="The name under which reports are kept that do not name a campaign. It must be new.",
    )
    field_order = ["file", "comments", "release", "campaign"]

    def stored_file(self) -> tuple[Path, str]:
        """Two tables are stored as one archive."""
        path, name = super().stored_file()
        comments = self.cleaned_data.get("comments")
        if not comments:
            return path, name
        packed = path.with_name(f"{path.name}.zip")
        with zipfile.ZipFile(packed, "x") as archive:
            archive.write(path, f"labels/{PurePosixPath(name).name}")
            archive.write(comments.temporary_file_path(), f"comments/{PurePosixPath(comments.name).name}")
        return packed, f"{PurePosixPath(name).stem}.zip"

    def terms(self) -> dict[str, str]:
        given = self.cleaned_data
        return {"release": given["release"].name, "campaign": given["campaign"] or "referee-reports"}


IMPORT_FORMS: dict[str, type[ImportForm]] = {
    form.kind: form for form in (ReleaseImportForm, OutputsImportForm, FilesImportForm, LabelsImportForm)
}
