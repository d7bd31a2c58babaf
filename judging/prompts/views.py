"""Pages of uploaded prompts, for coordinators and owners."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import owner_only, staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from judging.models import UploadedPrompt
from judging.prompts.actions import upload_prompt
from judging.prompts.forms import PromptForm
from llm.replies import ReplyFormat


@staff_only
@require_GET
def prompts(request: HttpRequest) -> HttpResponse:
    """Every uploaded prompt, the newest version of a name first."""
    context = {"prompts": UploadedPrompt.objects.order_by("protocol", "name", "-version")}
    return render(request, "judging/prompts/prompts.html", context)


@owner_only
@require_http_methods(["GET", "POST"])
def new_prompt(request: SignedInRequest) -> HttpResponse:
    """Upload a prompt, or the next version of one."""
    form = PromptForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            stored = upload_prompt(actor=request.user, **form.settings())
            messages.success(request, f"{stored.label} is stored.")
            return redirect("prompt", pk=stored.pk)
    return render(
        request, "judging/prompts/new_prompt.html", {"form": form}, status=400 if form.errors else 200
    )


@staff_only
@require_GET
def prompt(request: HttpRequest, pk: int) -> HttpResponse:
    """The words of a prompt, the data that follow them, and how replies are read."""
    shown = get_object_or_404(UploadedPrompt.objects.select_related("uploaded_by"), pk=pk)
    reply = ReplyFormat(**shown.reply) if shown.reply else None
    return render(request, "judging/prompts/prompt.html", {"prompt": shown, "reply": reply})
