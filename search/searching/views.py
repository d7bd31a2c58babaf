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
from search.models import Purpose, Reason, Statement
from search.searching.actions import say_relevant, search, similar
from search.searching.forms import SearchForm, VoteForm
from search.searching.hidden import found_by
from search.searching.limits import TOO_MANY, FeedbackOfMembers, allows, too_many
from search.searching.results import result_of
from search.slogans.queries import newest_slogans


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
    rows = Statement.objects.select_related("corpus", "document__source")
    try:
        documents = found_by(request.user, chosen)
    except Refused as refusal:
        corpora = corpora_for(request.user).order_by("slug")
        context = {"form": SearchForm(None, corpora=corpora), "corpora": corpora, "refusal": refusal.reason}
        return render(request, "search/search.html", context, status=409)
    shown = get_object_or_404(rows, document__in=documents, key=key)
    slogans = newest_slogans([shown.pk]).get(shown.pk, ())
    result = result_of(shown, None, whole=is_study_staff(request.user), slogans=slogans)
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
            documents = found_by(request.user, chosen)
            shown = get_object_or_404(Statement, document__in=documents, key=said["key"])
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
