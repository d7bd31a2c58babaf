"""Pages that compare runs: outcomes by problem, what was taken, and two transcripts next to each other."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from benchmark.models import Instance
from solving.attempts.views import LOADED, transcript_of
from solving.comparing.curves import MOST_ATTEMPTS, QUARTERS, chart_of, curve_of
from solving.comparing.outcomes import paired, results_of, rows_of, settings_that_differ, taken_by
from solving.models import Attempt, SolveRun
from solving.runs.queries import differences, runs

MOST_RUNS = 4
LISTED = 100


@staff_only
@require_GET
def comparison(request: HttpRequest) -> HttpResponse:
    """The runs ?run=1&run=2. Unequal ones are compared with anyway=1 only. With X-Fragment the curves alone."""
    chosen = _chosen(request)
    if len(chosen) < 2:
        return render(request, "solving/comparing/choose.html", {"runs": runs()[:LISTED], "chosen": chosen})
    unequal = [(one, differences(chosen[0], one)) for one in chosen[1:]]
    unequal = [(one, found) for one, found in unequal if found]
    anyway = request.GET.get("anyway") == "1"
    names = [f"{one.solver.name} (run {one.pk})" for one in chosen]
    query = "&".join(f"run={one.pk}" for one in chosen)
    context: dict[str, object] = {
        "runs": list(zip(chosen, names, strict=True)),
        "first": chosen[0],
        "unequal": unequal,
        "anyway": anyway,
        "query": query,
    }
    if unequal and not anyway:
        return render(request, "solving/comparing/unequal.html", context)
    if request.headers.get("X-Fragment") == "curves":
        return render(request, "solving/comparing/_curves.html", _curves(chosen, names))
    results = [results_of(one) for one in chosen]
    rows = rows_of(results)
    context["rows"] = rows
    context["pairs"] = [
        (names[place], [paired(rows, 0, place, measure) for measure in ("accepted", "answered")])
        for place in range(1, len(chosen))
    ]
    context["first_name"] = names[0]
    context["taken"] = [
        (name, taken_by(one, found)) for one, name, found in zip(chosen, names, results, strict=True)
    ]
    context["settings"] = settings_that_differ([one.solver for one in chosen])
    return render(request, "solving/comparing/comparison.html", context)


def _chosen(request: HttpRequest) -> list[SolveRun]:
    """The runs of the query, in its order, without repetitions. 404 for one that is none."""
    given = request.GET.getlist("run")
    if not all(one.isdecimal() and len(one) < 19 for one in given):
        raise Http404
    said = list(dict.fromkeys(map(int, given)))[:MOST_RUNS]
    found = SolveRun.objects.select_related("solver", "release__benchmark").in_bulk(said)
    if len(found) < len(said):
        raise Http404
    return [found[one] for one in said]


def _curves(chosen: list[SolveRun], names: list[str]) -> dict[str, object]:
    curves = [curve_of(one) for one in chosen]
    ends = [
        one.attempt_tokens or max((use.tokens for course in curve.courses for use in course), default=0)
        for one, curve in zip(chosen, curves, strict=True)
    ]
    end = min((one for one in ends if one), default=0)
    quarters = [(share, end * share // 100) for share in QUARTERS]
    table = [
        (
            name,
            curve,
            [(curve.accepted_by(at), curve.answered_by(at), len(curve.courses)) for _, at in quarters],
        )
        for name, curve in zip(names, curves, strict=True)
    ]
    charts = [chart_of(curves, names, by_cost=by_cost) for by_cost in (False, True)]
    return {
        "charts": [one for one in charts if one],
        "quarters": quarters,
        "table": table,
        "most": MOST_ATTEMPTS,
    }


@staff_only
@require_GET
def problem(request: HttpRequest, instance: int) -> HttpResponse:
    """The transcripts of runs at one problem, next to each other; ?attempt= is the number of the attempt."""
    row = get_object_or_404(Instance.objects.select_related("release"), pk=instance)
    chosen = _chosen(request)
    said = request.GET.get("attempt", "1")
    number = int(said) if said.isdecimal() and len(said) < 6 else 1
    sides = []
    for place, run in enumerate(chosen, 1):
        attempts = Attempt.objects.select_related(*LOADED).filter(run=run, instance=row)
        found = attempts.filter(number=number).first() or attempts.order_by("number").first()
        sides.append((run, f"s{place}-", transcript_of(found) if found else None))
    if not any(transcript for _, _, transcript in sides):
        raise Http404
    context = {
        "instance": row,
        "sides": sides,
        "number": number,
        "numbers": range(1, max(one.attempts_each for one in chosen) + 1) if chosen else [],
        "query": "&".join(f"run={one.pk}" for one in chosen),
    }
    return render(request, "solving/comparing/problem.html", context)
