"""Pages on which staff read what a judge was given and what it replied."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from benchmark.models import Instance, Output
from canonical import strings_of
from judging.asking.replies import replies
from judging.models import Judge, JudgeRun
from judging.reading.injections import flagged_outputs, output_flags
from judging.reading.reparsing import reparse, reread
from llm import find_injections

PAGE = 50


@staff_only
@require_GET
def judge_replies(request: HttpRequest, pk: int, output: int) -> HttpResponse:
    """Every vote of one judge about one output, with the raw reply and the prompt as it was sent."""
    judge = get_object_or_404(Judge, pk=pk)
    read = get_object_or_404(Output.objects.select_related("instance", "run__release", "redacted"), pk=output)
    context = {
        "judge": judge,
        "output": read,
        "instance": read.instance,
        "release": read.run.release,
        "replies": replies(judge, read),
        "flags": output_flags(read),
    }
    return render(request, "judging/reading/replies.html", context)


@staff_only
@require_GET
def judge_instance_replies(request: HttpRequest, pk: int, instance: int) -> HttpResponse:
    """The same about one instance."""
    judge = get_object_or_404(Judge, pk=pk)
    read = get_object_or_404(Instance.objects.select_related("release"), pk=instance)
    context = {
        "judge": judge,
        "instance": read,
        "release": read.release,
        "replies": replies(judge, read),
        "flags": find_injections("\n\n".join(strings_of(read.payload))),
    }
    return render(request, "judging/reading/replies.html", context)


@staff_only
@require_GET
def run_injections(request: HttpRequest, pk: int) -> HttpResponse:
    """The outputs of a run that seem to address their judge, with the passages."""
    run = get_object_or_404(JudgeRun.objects.select_related("judge", "release"), pk=pk)
    page = Paginator(flagged_outputs(run), PAGE).get_page(request.GET.get("page"))
    return render(request, "judging/reading/injections.html", {"run": run, "page": page})


@staff_only
@require_http_methods(["GET", "POST"])
def reparse_run(request: SignedInRequest, pk: int) -> HttpResponse:
    """What today's parser reads differently in the replies of a run; POST stores it as a judge version."""
    run = get_object_or_404(JudgeRun.objects.select_related("judge", "release"), pk=pk)
    if request.method == "POST":
        try:
            done = reparse(actor=request.user, run=run)
        except Refused as refusal:
            messages.error(request, refusal.reason)
            return redirect("judge-run", pk=pk)
        if done.judge is not None:
            messages.success(request, f"{done.judge.label} now has the votes as they are read today.")
            return redirect("judge", pk=done.judge.pk)
    again = reread(run)
    page = Paginator(again.changed, PAGE).get_page(request.GET.get("page"))
    return render(request, "judging/reading/reparse.html", {"run": run, "again": again, "page": page})
