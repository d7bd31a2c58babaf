"""The page that asks, after submitting, which system wrote the answer."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.site.pages import SignedInRequest, told
from annotation.core import queries
from annotation.core.material import problem_title
from annotation.core.places import place_or_404
from annotation.guessing import actions
from annotation.guessing.guesses import is_asked, own_names


@login_required
@require_http_methods(["GET", "POST"])
def guess(request: SignedInRequest, handle: str) -> HttpResponse:
    """Ask once; a place that is not asked goes straight to the next item."""
    place = place_or_404(request.user, handle)
    if request.method == "POST":
        with told(request):
            actions.guess_system(
                reviewer=request.user, assignment=place, system=request.POST.get("system", "")
            )
        return _next_page(request)
    if not is_asked(place):
        return _next_page(request)
    title = problem_title(place.item.instance.payload, place.item.instance.key)
    context = {"place": place, "title": title, "names": own_names(place)}
    return render(request, "annotation/guessing/guess.html", context)


@login_required
@require_POST
def skip(request: SignedInRequest, handle: str) -> HttpResponse:
    """Go on without an answer; nothing is stored."""
    place_or_404(request.user, handle)
    return _next_page(request)


def _next_page(request: SignedInRequest) -> HttpResponse:
    following = queries.waiting(request.user).first()
    return redirect("grade", handle=following.handle) if following else redirect("queue")
