"""Pages of solvers: all versions, and a new one."""

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import owner_only, staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from solvers.recipe import BadSettings, Recipe, get_recipe, recipe_names
from solving.models import Solver
from solving.runs.actions import make_solver
from solving.runs.stored import is_outdated
from solving.systems.forms import SolverForm
from work.endpoints import no_endpoint_reason

# The groups of RMA's published ablations, by the letter that begins the names of their settings.
GROUPS = {
    "a": "Analysis and knowledge", "b": "Literature", "c": "Commandments", "d": "Knowledge bank",
    "e": "One agent, best of n, several agents", "f": "Rounds", "g": "Verifiers", "h": "Proposers", "i": "Memory",
    "j": "Roles",
}  # fmt: skip


@staff_only
@require_GET
def solvers(request: HttpRequest) -> HttpResponse:
    """All versions of all solvers, the newest first, and the recipes that there are."""
    rows = Solver.objects.annotate(n_runs=Count("runs")).order_by("slug", "-version")
    context = {
        "solvers": [(row, different(row), is_outdated(row)) for row in rows],
        "recipes": [get_recipe(name) for name in recipe_names()],
        "no_endpoint": no_endpoint_reason(),
    }
    return render(request, "solving/systems/solvers.html", context)


def different(solver: Solver) -> list[tuple[str, Any, Any]]:
    """(setting, value, the recipe's default) of the settings that are not the default."""
    try:
        defaults = get_recipe(solver.recipe).read_settings({}).model_dump(mode="json")
    except (KeyError, BadSettings):
        defaults = {}
    return [
        (name, value, defaults.get(name))
        for name, value in solver.settings.items()
        if value != defaults.get(name)
    ]


@owner_only
@require_http_methods(["GET", "POST"])
def new_solver(request: SignedInRequest) -> HttpResponse:
    """A new version from a recipe's settings; ?start= fills in a settings file of the recipe."""
    name = request.GET.get("recipe", "rma")
    if name not in recipe_names():
        raise Http404
    recipe = get_recipe(name)
    start = request.GET.get("start", "")
    named = recipe.named_settings
    if start and start not in named:
        raise Http404
    no_endpoint = no_endpoint_reason()
    form = None
    if not no_endpoint:
        initial = {"slug": f"{name.replace('_', '-')}{f'-{start}' if start and start != 'default' else ''}"}
        form = SolverForm(recipe, named.get(start, {}), request.POST or None, initial=initial)
        if form.is_valid():
            with refusals_in(form):
                made = make_solver(actor=request.user, system=form.system())
            if not form.errors:
                messages.success(request, f"{made.name} is ready.")
                return redirect("solvers")
    context = {
        "recipe": recipe,
        "recipes": [get_recipe(one) for one in recipe_names()],
        "start": start,
        "starts": starts_of(recipe),
        "form": form,
        "no_endpoint": no_endpoint,
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "solving/systems/new.html", context, status=status)


def starts_of(recipe: Recipe) -> list[tuple[str, list[str]]]:
    """The names of the recipe's settings files by group; those of no group first."""
    found: dict[str, list[str]] = {"": []}
    for name in recipe.named_settings:
        letter, dash, _ = name.partition("-")
        group = f"{letter}: {GROUPS[letter]}" if dash and letter in GROUPS else ""
        found.setdefault(group, []).append(name)
    return [(group, names) for group, names in found.items() if names]
