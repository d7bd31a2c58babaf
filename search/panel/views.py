"""The panel of the grading page."""

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from annotation.core.phases import Verb, allows
from annotation.core.places import is_locked, place_or_404
from search.corpora.queries import corpora_for
from search.models import Corpus, IndexState, Purpose
from search.searching.actions import search
from search.searching.limits import TOO_MANY, too_many
from search.searching.request import MAX_QUERY, Asked


class PanelForm(forms.Form):
    """Words, and where to look for them. No filters: a panel is narrow, and the search page has them."""

    q = forms.CharField(max_length=MAX_QUERY, label="Search for a statement")
    corpus = forms.ModelChoiceField(Corpus.objects.none(), to_field_name="slug", empty_label=None)


@login_required
@require_GET
def panel(request: SignedInRequest, handle: str) -> HttpResponse:
    """The form, and what was found. Only while the place can be graded and its campaign has the search."""
    place = place_or_404(request.user, handle)
    campaign = place.item.campaign
    if not campaign.with_search or is_locked(place) or not allows(campaign.phase, Verb.GRADE):
        raise Http404
    ready = corpora_for(request.user).filter(indexes__state=IndexState.READY)
    corpora = ready.distinct().order_by("slug")
    context: dict[str, object] = {"corpora": corpora, "handle": place.handle, "found": None, "refusal": ""}
    status = 200
    if "q" in request.GET:
        form = PanelForm(request.GET)
        corpus = form.fields["corpus"]
        assert isinstance(corpus, forms.ModelChoiceField)
        corpus.queryset = corpora
        context |= {"q": request.GET["q"], "chosen": request.GET.get("corpus", "")}
        if not form.is_valid():
            problems = [str(error) for found in form.errors.values() for error in found]
            context["refusal"], status = " ".join(problems), 400
        elif too_many(request):
            context["refusal"], status = TOO_MANY, 429
        else:
            said = form.cleaned_data
            try:
                context["found"] = search(
                    user=request.user,
                    corpus=said["corpus"],
                    asked=Asked(said["q"].strip()),
                    purpose=Purpose.PANEL,
                )
            except Refused as refusal:
                context["refusal"], status = refusal.reason, 409
    return render(request, "search/panel.html", context, status=status)
