"""Pages on which coordinators decide what declared conflicts of interest exclude."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.models import Conflict, ConflictKind
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, refusals_in
from annotation.conflicts import actions
from annotation.conflicts import resolving as conflicts
from annotation.core import queries
from benchmark.models import Benchmark


class EnterForm(forms.Form):
    """A conflict of interest that a reviewer told the coordinator about."""

    member = forms.ModelChoiceField(label="Reviewer", queryset=queries.reviewers(), empty_label=None)
    kind = forms.ChoiceField(label="With a", choices=ConflictKind.choices)
    key = forms.CharField(max_length=200, label="Name or identifier")
    reason = forms.CharField(max_length=500, required=False, label="Reason")


@staff_only
@require_http_methods(["GET", "POST"])
def declared(request: SignedInRequest) -> HttpResponse:
    """Every declaration, those waiting for a decision first, and a form for a new one."""
    form = EnterForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            made = actions.enter_conflict(actor=request.user, **form.cleaned_data)
            return redirect("conflict", pk=made.pk)
    context = {
        "waiting": conflicts.waiting_for_decision().select_related("user"),
        "decided": Conflict.objects.filter(decided_at__isnull=False)
        .select_related("user", "decided_by")
        .prefetch_related("targets")
        .order_by("user__name", "user__email", "kind", "key"),
        "form": form,
    }
    return render(request, "annotation/conflicts/conflicts.html", context, status=422 if form.errors else 200)


@staff_only
@require_http_methods(["GET", "POST"])
def conflict(request: SignedInRequest, pk: int) -> HttpResponse:
    """One declaration: what it may mean, what is decided, and what the person's conflicts exclude."""
    row = get_object_or_404(Conflict.objects.select_related("user", "decided_by"), pk=pk)
    reason, ticked = "", []
    if request.method == "POST":
        reason = request.POST.get("reason", "")[:1000]
        ticked = [(kind, key) for kind, _, key in (t.partition(":") for t in request.POST.getlist("target"))]
        try:
            if request.POST.get("verb") == "apply":
                benchmark = get_object_or_404(Benchmark, slug=request.POST.get("benchmark", ""))
                actions.apply_conflicts(
                    actor=request.user, member=row.user, benchmark=benchmark, reason=reason
                )
                messages.success(request, f"The decided conflicts apply in {benchmark} from now on.")
            else:
                none = request.POST.get("verb") == "dismiss"
                if not ticked and not none:
                    raise Refused("Choose what the conflict excludes, or say that it excludes nothing here.")
                targets = [] if none else ticked
                actions.decide_conflict(
                    actor=request.user,
                    conflict=row,
                    targets=targets,
                    reason=reason,
                    seen=request.POST.get("seen"),
                )
                messages.success(request, "The decision has been stored.")
            return redirect("conflict", pk=row.pk)
        except Refused as refusal:  # what was typed and ticked stays on the page
            messages.error(request, refusal.reason)
            # unless another decision is to be looked at
            ticked = [] if refusal.code == "decided_meanwhile" else ticked
    chosen = set(ticked) or {(target.kind, target.key) for target in row.targets.all()}
    asked = request.GET.get("q", row.key).strip()
    found = conflicts.search(asked)
    suggested = [] if row.decided_at or chosen else [(one.kind, one.key) for one in found if one.exact]
    context = {
        "conflict": row,
        "asked": asked,
        "reason": reason,
        "chosen": sorted(chosen),
        "found": [
            {"one": one, "checked": (one.kind, one.key) in suggested}
            for one in found
            if (one.kind, one.key) not in chosen
        ],
        "effects": conflicts.effects(row.user_id),
        "benchmarks": conflicts.begun_benchmarks(row.user_id),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/conflicts/conflict.html", context, status=status)
