"""The pages of forms: what campaigns can ask, the editor with its preview, and importing a rubric file."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in, told
from annotation.grading.sheets import asked_questions
from annotation.models import RubricDraft
from annotation.rubrics import actions, drafting
from annotation.rubrics.api import draft_values
from annotation.rubrics.available import MAX_FILE_BYTES, known_rubrics, rubric_or_404, rubric_toml
from annotation.rubrics.differences import changes
from annotation.rubrics.starts import READY_MADE, STARTS
from benchmark.protocols import get_protocol, protocol_choices, protocol_names
from benchmark.rubric_rules import SEVERITIES, broken
from benchmark.rubrics import Rubric


class RubricFileForm(forms.Form):
    """A rubric file and the protocol whose outputs it asks about."""

    protocol = forms.ChoiceField(label="For outputs of", choices=protocol_choices)
    file = forms.FileField(label="Rubric file (TOML)")


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
    drafts = list(RubricDraft.objects.select_related("saved_by").order_by("-saved_at"))
    groups = [
        (
            name,
            get_protocol(name).title,
            known_rubrics(name),
            [each for each in drafts if each.protocol == name],
        )
        for name in protocol_names()
    ]
    starts = [(name, words) for name, (words, _) in STARTS.items()]
    context = {"form": form, "groups": groups, "starts": starts}
    return render(request, "annotation/rubrics/rubrics.html", context, status=422 if form.errors else 200)


@staff_only
@require_GET
def rubric_file(request: SignedInRequest, protocol: str, label: str) -> HttpResponse:
    """A rubric as TOML, to be changed and imported under a new name or version."""
    rubric = rubric_or_404(protocol, label)
    headers = {"Content-Disposition": f'attachment; filename="{rubric.label}.toml"'}
    return HttpResponse(rubric_toml(rubric), content_type="application/toml; charset=utf-8", headers=headers)


@staff_only
@require_POST
def start(request: SignedInRequest, protocol: str) -> HttpResponse:
    """Begin a form, from a template or from an existing rubric."""
    with told(request):
        draft = drafting.start_draft(
            actor=request.user, protocol=protocol, start=request.POST.get("start", "blank")
        )
        return redirect("form-editor", pk=draft.pk)
    return redirect("rubrics")


@staff_only
@require_GET
def editor(request: SignedInRequest, pk: int) -> HttpResponse:
    """A form that is being written."""
    draft = get_object_or_404(RubricDraft, pk=pk)
    context = {
        "draft": draft,
        "earlier": drafting.earlier_versions(draft),
        "values": draft_values(draft),
        "terms": {"ready_made": READY_MADE, "severities": SEVERITIES},
        "protocol": get_protocol(draft.protocol).title,
    }
    return render(request, "annotation/rubrics/form_editor.html", context)


@staff_only
@require_GET
def compare(request: SignedInRequest, pk: int, label: str) -> HttpResponse:
    """What the stored draft changes in an earlier version of any form of its protocol."""
    draft = get_object_or_404(RubricDraft, pk=pk)
    before = rubric_or_404(draft.protocol, label)
    form = drafting.check_of(draft)
    whole = dict(form.questions)
    given = draft.content.get("questions")
    tables = given if isinstance(given, list) else []  # a draft may hold anything
    left = [
        str(table.get("key") if isinstance(table, dict) else table)
        for number, table in enumerate(tables)
        if number not in whole
    ]
    rules = form.rubric.rules if form.rubric else before.rules
    context = {
        "draft": draft,
        "before": before,
        "earlier": drafting.earlier_versions(draft),
        "unfinished": len(left),
        "without_rules": form.rubric is None,
        "change": changes(before, [*whole.values()], rules, str(draft.content.get("title", "")), left),
    }
    return render(request, "annotation/rubrics/form_compare.html", context)


@staff_only
@require_POST
def preview(request: SignedInRequest, pk: int) -> HttpResponse:
    """The stored draft as referees will see it, with what was tried in the preview and the rules that this breaks."""
    draft = get_object_or_404(RubricDraft, pk=pk)
    form = drafting.check_of(draft)
    questions = tuple(question for _, question in form.questions)
    shown = Rubric("form", 1, "grade", "", questions, form.rubric.rules if form.rubric else ())
    keys = [question.key for question in questions]
    answers = {key: request.POST.get(f"answer-{key}", "") for key in keys}
    problems = dict(broken(shown.rules, answers, request.POST.getlist("severities")))
    context = {
        "questions": asked_questions(shown, {"answers": answers}, problems, ()),
        "comments_problem": problems.get("comments", ""),
    }
    return render(request, "annotation/rubrics/_preview.html", context)


@staff_only
@require_POST
def publish(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make a version of the draft that campaigns can use."""
    draft = get_object_or_404(RubricDraft, pk=pk)
    sent = request.POST.get("saves", "")
    saves = int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 10 else 0
    with told(request):
        row = drafting.publish_draft(actor=request.user, draft=draft, saves=saves)
        messages.success(request, f"{row.label} can be used by campaigns. It never changes.")
        return redirect("rubrics")
    return redirect("form-editor", pk=pk)


@staff_only
@require_POST
def discard(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a draft."""
    with told(request, "The draft is deleted."):
        drafting.discard_draft(actor=request.user, draft=get_object_or_404(RubricDraft, pk=pk))
    return redirect("rubrics")
