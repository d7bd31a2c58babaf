"""The page on which an answer is marked as abstained, with what follows from it."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from benchmark.abstaining.actions import LONGEST, mark_abstained, refuse_frozen, unmark_abstained
from benchmark.models import Abstention, Output, OutputState


@staff_only
@require_http_methods(["GET", "POST"])
def abstain(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """Mark the output with a reason, or remove the mark (`undo`); before it, what that changes."""
    rows = Output.objects.select_related("run__system", "run__release", "instance")
    output = get_object_or_404(rows, pk=pk, run__release__name=name)
    refusal = ""
    if request.method == "POST":
        try:
            if "undo" in request.POST:
                with told(request, "The output counts as an answer again."):
                    unmark_abstained(actor=request.user, output=output)
            else:
                mark_abstained(actor=request.user, output=output, reason=request.POST.get("reason", ""))
            return redirect("instance", name=name, key=output.instance.key)
        except Refused as problem:
            refusal = problem.reason
            output.refresh_from_db()
    frozen = ""
    try:
        refuse_frozen(output.run)
    except Refused as problem:
        frozen = problem.reason
    others = output.run.outputs.exclude(pk=output.pk)
    context = {
        "output": output,
        "mark": Abstention.objects.filter(output=output).select_related("marked_by").first(),
        "is_answer": output.state == OutputState.ANSWERED,
        "answers": others.filter(state=OutputState.ANSWERED).count(),
        "total": others.count() + 1,
        "frozen": frozen,
        "refusal": refusal,
        "reason": request.POST.get("reason", ""),
        "longest": LONGEST,
    }
    return render(request, "benchmark/abstaining/abstain.html", context, status=400 if refusal else 200)
