"""The page of rubrics: what campaigns can ask, and a form to import a rubric file."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from annotation.rubrics import actions
from annotation.rubrics.available import MAX_FILE_BYTES, known_rubrics, rubric_called, rubric_toml
from benchmark.protocols import get_protocol, protocol_names
from benchmark.rubrics import RubricError


class RubricFileForm(forms.Form):
    """A rubric file and the protocol whose outputs it asks about."""

    protocol = forms.ChoiceField(label="For outputs of")
    file = forms.FileField(label="Rubric file (TOML)")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        titles = [(name, get_protocol(name).title) for name in protocol_names()]
        self.fields["protocol"].choices = titles  # type: ignore[attr-defined]


@staff_only
@require_http_methods(["GET", "POST"])
def rubrics(request: SignedInRequest) -> HttpResponse:
    """Every rubric by protocol, and the form."""
    form = RubricFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        content = form.cleaned_data["file"].read(MAX_FILE_BYTES + 1)
        with refusals_in(form):
            rows = actions.import_rubrics(
                actor=request.user, protocol=form.cleaned_data["protocol"], content=content
            )
            messages.success(request, f"Stored: {', '.join(row.label for row in rows)}.")
            return redirect("rubrics")
    groups = [(name, get_protocol(name).title, known_rubrics(name)) for name in protocol_names()]
    context = {"form": form, "groups": groups}
    return render(request, "annotation/rubrics/rubrics.html", context, status=422 if form.errors else 200)


@staff_only
@require_GET
def rubric_file(request: SignedInRequest, protocol: str, label: str) -> HttpResponse:
    """A rubric as TOML, to be changed and imported under a new name or version."""
    if protocol not in protocol_names():
        raise Http404
    try:
        rubric = rubric_called(protocol, label)
    except RubricError as error:
        raise Http404 from error
    headers = {"Content-Disposition": f'attachment; filename="{rubric.label}.toml"'}
    return HttpResponse(rubric_toml(rubric), content_type="application/toml; charset=utf-8", headers=headers)
