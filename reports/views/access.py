"""Who may see reports, and how a refused choice is answered."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.access import require_role
from accounts.models import RoleName
from accounts.refusal import Refused

staff_only = require_role(RoleName.COORDINATOR, RoleName.OWNER)
owner_only = require_role(RoleName.OWNER)


def explains_refusals(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page that says in words why it cannot show what was asked: 404 for what is not there, else 400."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Refused as refusal:
            status = 404 if refusal.code.startswith("no_") else 400
            return render(request, "reports/refused.html", {"reason": refusal.reason}, status=status)

    return answer
