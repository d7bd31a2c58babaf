"""The audit trail, for owners."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from accounts.access import require_role
from accounts.models import RoleName
from accounts.people import queries
from accounts.site.pages import SignedInRequest

PER_PAGE = 50
FILTERS = ("target_kind", "target_key", "verb")


@require_role(RoleName.OWNER)
@require_GET
def audit_trail(request: SignedInRequest) -> HttpResponse:
    """Who did what, to what, when and why; newest first."""
    wanted = {name: request.GET.get(name, "").strip() for name in FILTERS}
    page = Paginator(queries.audit_events(**wanted), PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "wanted": wanted, "query": urlencode(wanted), "kinds": queries.audited_kinds()}
    return render(request, "accounts/people/audit_trail.html", context)
