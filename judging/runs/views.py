"""Pages of judging, for coordinators and owners."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import owner_only, staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from benchmark.protocols import get_protocol
from judging.asking.prompts import predicates_about, prompt_of
from judging.models import Judge, JudgeRun, RunSubject
from judging.programs.programs import current_program
from judging.runs.actions import ask, create_judge
from judging.runs.combining import is_combination
from judging.runs.forms import (
    AdjustForm,
    AskForm,
    AskInstancesForm,
    AskOutputsForm,
    JudgeForm,
    ProgramForm,
    SteerForm,
    known_programs,
)
from judging.runs.progress import endpoint_health, flips, run_pace, steadiness
from judging.runs.queries import (
    left_out,
    newest_judges,
    recent_errors,
    run_cost,
    runs_with_progress,
    verdict_counts,
)
from judging.runs.steering import adjust_run, retry_failed, steer
from work.endpoints import no_endpoint_reason
from work.models import RunState


@staff_only
@require_GET
def judges(request: HttpRequest) -> HttpResponse:
    """All judges in their newest version, and the latest runs."""
    context = {
        "judges": newest_judges(),
        "runs": runs_with_progress()[:50],
        "no_endpoint": no_endpoint_reason(),
    }
    return render(request, "judging/runs/judges.html", context)


@owner_only
@require_http_methods(["GET", "POST"])
def new_judge(request: SignedInRequest) -> HttpResponse:
    """Create a judge, or a new version of one: a model at an endpoint, or a program of a protocol."""
    no_endpoint = no_endpoint_reason()
    posted = request.POST if request.method == "POST" else None
    by_program = posted is not None and "program" in posted
    programs = None
    if known_programs():
        programs = ProgramForm(posted if by_program else None, auto_id="program_%s")
    models = None if no_endpoint else JudgeForm(None if by_program else posted)
    sent = programs if by_program else models
    if sent is not None and sent.is_valid():
        try:
            made = create_judge(actor=request.user, **sent.settings())
        except Refused as refusal:
            sent.add_error(None, refusal.reason)
        else:
            messages.success(request, f"{made.label} is ready.")
            return redirect("judge", pk=made.pk)
    context = {"form": models, "program_form": programs, "no_endpoint": no_endpoint}
    return render(
        request, "judging/runs/new_judge.html", context, status=400 if sent and sent.errors else 200
    )


@staff_only
@require_http_methods(["GET", "POST"])
def judge(request: SignedInRequest, pk: int) -> HttpResponse:
    """One judge version: its settings and prompts; POST asks it about outputs, or about instances."""
    shown = get_object_or_404(Judge, pk=pk)
    no_endpoint = no_endpoint_reason()
    forms: list[AskForm] = []
    if shown.program or (shown.endpoint and not no_endpoint):
        program = current_program(get_protocol(shown.protocol), shown.program)
        by_audit = program is not None and program.subject == "instance"  # the construction audit asks it
        sent = request.POST.get("subject", RunSubject.OUTPUT) if request.method == "POST" else ""
        forms = [
            kind(shown, request.POST if kind.subject == sent else None, auto_id=f"{kind.subject}_%s")
            for kind in (AskOutputsForm, AskInstancesForm)
            if not by_audit and predicates_about(kind.subject, shown)
        ]
    for form in forms:
        if form.is_bound and form.is_valid():
            try:
                run = ask(actor=request.user, judge=shown, **form.question())
            except Refused as refusal:
                form.add_error(None, refusal.reason)
            else:
                return redirect("judge-run", pk=run.pk)
    prompts = []
    if not shown.program and not is_combination(shown):
        for key, identity in sorted(shown.prompts.items()):
            prompt = prompt_of(shown, key)
            current = prompt.sha256 == identity["sha256"]  # or the protocol's file has changed since
            prompts.append({"predicate": key, **identity, "prompt": prompt, "current": current})
    context = {
        "judge": shown,
        "prompts": prompts,
        "combination": shown.prompts if is_combination(shown) else {},
        "runs": runs_with_progress().filter(judge=shown)[:20],
        "n_verdicts": shown.verdicts.count(),
        "forms": forms,
        "no_endpoint": no_endpoint if shown.endpoint else "",
    }
    faulty = any(form.errors for form in forms)
    return render(request, "judging/runs/judge.html", context, status=400 if faulty else 200)


@staff_only
@require_GET
def judge_run(request: HttpRequest, pk: int) -> HttpResponse:
    """Progress of one run; with the header X-Fragment only the part that moves."""
    run = runs_with_progress().filter(pk=pk).first()
    if run is None:
        raise Http404
    n_open = run.n_waiting + run.n_leased + run.n_held
    context = {
        "run": run,
        "n_open": n_open,
        "n_needed": run.n_tasks - run.n_not_needed,
        "left_out": left_out(run),
        "steadiness": steadiness(run),
        "flips": flips(run),
        "cost": run_cost(run),
        "pace": run_pace(run, n_open),
        "endpoint": endpoint_health(run.judge.endpoint),
        "adjust_form": AdjustForm(),
        "verdicts": verdict_counts(run),
        "errors": recent_errors(run),
        "running": run.state == RunState.RUNNING,
        "steerable": run.state in (RunState.RUNNING, RunState.PAUSED),
    }
    fragment = request.headers.get("X-Fragment") == "progress"
    return render(request, "judging/runs/_progress.html" if fragment else "judging/runs/run.html", context)


@staff_only
@require_POST
def steer_run(request: SignedInRequest, pk: int) -> HttpResponse:
    """Pause, resume or cancel a run."""
    run = get_object_or_404(JudgeRun, pk=pk)
    form = SteerForm(request.POST)
    if form.is_valid():
        with told(request):
            to = RunState(form.cleaned_data["to"])
            steer(actor=request.user, run=run, to=to, reason=form.cleaned_data["reason"])
    else:
        messages.error(request, "Choose whether to pause, resume or cancel the run.")
    return redirect("judge-run", pk=pk)


@staff_only
@require_POST
def adjust(request: SignedInRequest, pk: int) -> HttpResponse:
    """Give a run another priority or cap."""
    run = get_object_or_404(JudgeRun, pk=pk)
    form = AdjustForm(request.POST)
    if form.is_valid():
        with told(request):
            adjust_run(actor=request.user, run=run, **form.cleaned_data)
            messages.success(request, "The run has been adjusted.")
    else:
        field, errors = next(iter(form.errors.items()))
        messages.error(request, f"{form.fields[field].label or field}: {errors[0]}")
    return redirect("judge-run", pk=pk)


@staff_only
@require_POST
def retry_run(request: SignedInRequest, pk: int) -> HttpResponse:
    """Queue the failed tasks of a run again."""
    run = get_object_or_404(JudgeRun, pk=pk)
    with told(request):
        returned = retry_failed(actor=request.user, run=run)
        messages.success(request, f"{returned} tasks have been queued again.")
    return redirect("judge-run", pk=pk)
