"""The search page, what people say about a result, and one statement."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from accounts.access import is_study_staff
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from search.corpora.queries import corpora_for
from search.models import Purpose, Reason
from search.searching.actions import say_relevant, search, similar
from search.searching.forms import SearchForm, VoteForm
from search.searching.hidden import statements_for
from search.searching.limits import TOO_MANY, FeedbackOfMembers, allows, too_many
from search.searching.results import result_of


@require_GET
def search_page(request: HttpRequest) -> HttpResponse:
    """One box, filters, and the statements that were found."""
    corpora = corpora_for(request.user).order_by("slug")
    form = SearchForm(request.GET or None, corpora=corpora)
    context: dict[str, object] = {"form": form, "corpora": corpora, "refusal": "", "removals": []}
    context["report_reasons"] = Reason.choices
    found, status = None, 200
    if form.is_bound and form.is_valid() and form.asks:
        if too_many(request):
            context["refusal"], status = TOO_MANY, 429
        else:
            try:
                corpus, asked = form.cleaned_data["corpus"], form.asked()
                if key := form.cleaned_data["similar"]:
                    found = similar(
                        user=request.user, corpus=corpus, purpose=Purpose.PAGE, key=key, k=asked.k
                    )
                    context["like"] = corpus.statements.get(key=key)
                else:
                    found = search(user=request.user, corpus=corpus, purpose=Purpose.PAGE, asked=asked)
            except Refused as refusal:
                context["refusal"], status = refusal.reason, 409
    elif form.is_bound and form.errors:
        status = 400
    if found and found.emptying:
        context["removals"] = [
            (form.label_of(name), count, urlencode(form.without(name), doseq=True))
            for name, count in found.emptying
        ]
    if found and len(found.results) == found.asked.k < form.MOST:
        context["more"] = urlencode(form.with_k(form.MOST), doseq=True)
    return render(request, "search/search.html", context | {"found": found}, status=status)


@require_GET
def statement(request: HttpRequest, corpus: str, key: str) -> HttpResponse:
    """One statement with its source."""
    chosen = get_object_or_404(corpora_for(request.user), slug=corpus)
    try:
        rows = statements_for(request.user, chosen)
    except Refused as refusal:
        corpora = corpora_for(request.user).order_by("slug")
        context = {"form": SearchForm(None, corpora=corpora), "corpora": corpora, "refusal": refusal.reason}
        return render(request, "search/search.html", context, status=409)
    shown = get_object_or_404(rows, key=key)
    result = result_of(shown, whole=is_study_staff(request.user))
    return render(request, "search/statement.html", {"statement": shown, "result": result})


@login_required
@require_POST
def vote(request: SignedInRequest) -> HttpResponse:
    """Say whether a result is relevant; without a script the page comes back as it was."""
    form = VoteForm(request.POST)
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure()):
        back = ""
    if not form.is_valid():
        messages.error(request, "This was not understood. Nothing was stored.")
    elif not allows(FeedbackOfMembers, request):
        messages.error(request, "That was often. Wait a minute, then try again.")
    else:
        said = form.cleaned_data
        chosen = get_object_or_404(corpora_for(request.user), slug=said["corpus"])
        try:
            shown = get_object_or_404(statements_for(request.user, chosen), key=said["key"])
            say_relevant(
                user=request.user,
                statement=shown,
                value=said["value"],
                query=said["query"],
                reason=said["reason"],
            )
            messages.success(request, "Thank you. Your word about this result is stored.")
        except Refused as refusal:
            messages.error(request, refusal.reason)
    return redirect(back or "search")
