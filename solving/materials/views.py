"""Pages of knowledge banks and block lists, for coordinators and owners."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import owner_only, staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from solving.materials.actions import add_material
from solving.materials.forms import MaterialForm
from solving.materials.queries import hits_of
from solving.models import Material, SolveRun

PAGE, MOST_RUNS = 100, 100


@staff_only
@require_GET
def materials(request: HttpRequest) -> HttpResponse:
    """All banks and block lists."""
    rows = Material.objects.order_by("kind", "name").defer("content").select_related("added_by")
    return render(request, "solving/materials/materials.html", {"materials": rows})


@owner_only
@require_http_methods(["GET", "POST"])
def new_material(request: SignedInRequest) -> HttpResponse:
    """Add one; it never changes afterwards."""
    form = MaterialForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        said = {name: form.cleaned_data[name] for name in ("kind", "name", "content")}
        with refusals_in(form):
            added = add_material(actor=request.user, **said)
            messages.success(request, f"{added.name} is stored.")
            return redirect("material", pk=added.pk)
    return render(request, "solving/materials/new.html", {"form": form}, status=400 if form.errors else 200)


@staff_only
@require_GET
def material(request: HttpRequest, pk: int) -> HttpResponse:
    """The entries of a bank, page by page, or all rules of a block list, and the newest runs that were given it."""
    shown = get_object_or_404(Material.objects.select_related("added_by"), pk=pk)
    runs = SolveRun.objects.filter(Q(bank=shown) | Q(blocked=shown)).select_related("solver", "release")
    entries = Paginator(shown.content.get("entries", []), PAGE)
    context = {
        "material": shown,
        "hits": hits_of(shown).most_common(),
        "page": entries.get_page(request.GET.get("page")),
        "runs": runs.order_by("-pk")[:MOST_RUNS],
    }
    return render(request, "solving/materials/material.html", context)
