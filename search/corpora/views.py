"""Pages of corpora, for coordinators and owners."""

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import owner_only, staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from search.corpora.queries import said_of, searches_of
from search.indexes.actions import ask_for_index
from search.indexes.embedding import declared_models
from search.models import Corpus

MOST_SHOWN = 100


@staff_only
@require_GET
def corpora(request: HttpRequest) -> HttpResponse:
    """Every corpus with its size and newest index."""
    rows = Corpus.objects.annotate(n_statements=Count("statements")).order_by("slug")
    return render(request, "search/corpora.html", {"corpora": rows})


@staff_only
@require_GET
def corpus(request: HttpRequest, slug: str) -> HttpResponse:
    """A corpus: its sources and indexes, how often it was searched, and what was said about its statements."""
    shown = get_object_or_404(Corpus.objects.select_related("release", "created_by"), slug=slug)
    try:
        models = [(name, f"{one.model} at {one.endpoint.name}") for name, one in declared_models().items()]
    except Refused:  # a build says what is wrong with the declaration
        models = []
    context = {
        "corpus": shown,
        "n_statements": shown.statements.count(),
        "n_documents": shown.documents.count(),
        "sources": shown.sources.order_by("name"),
        "models": models,
        "searches": searches_of(shown),
        "said": said_of(shown)[:MOST_SHOWN],
        "most_shown": MOST_SHOWN,
        "indexes": shown.indexes.order_by("-asked_at", "-pk")[:20],
    }
    return render(request, "search/corpus.html", context)


@owner_only
@require_POST
def build(request: SignedInRequest, slug: str) -> HttpResponse:
    """Ask for a new index; a worker builds it."""
    shown = get_object_or_404(Corpus, slug=slug)
    with told(request, "The index is being built. Reload the page in a moment."):
        recipe, _, model = request.POST.get("recipe", "words").partition("/")
        ask_for_index(actor=request.user, corpus=shown, recipe=recipe, model=model)
    return redirect("corpus", slug=slug)
