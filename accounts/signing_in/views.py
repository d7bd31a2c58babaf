"""django-allauth's sign-in page with the demo's accounts on it, and the closed sign-up."""

from typing import Any

from allauth.account.views import LoginView
from django.conf import settings
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse


class SignInView(LoginView):
    """Signing in; only the demo names accounts to choose from."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        if settings.DEMO:
            context |= {"demo_accounts": settings.DEMO_ACCOUNTS, "demo_password": settings.DEMO_PASSWORD}
        return context

    def get_form(self, form_class: type[Form] | None = None) -> Form:
        form = super().get_form(form_class)
        form.fields["password"].help_text = ""  # the template has the link to a new password
        return form

    def form_invalid(self, form: Form) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error("__all__", "too_many_login_attempts"):
            response.status_code = 429
        return response


def closed(request: HttpRequest) -> HttpResponse:
    """There is no public sign-up; django-allauth wants the address to have a name."""
    raise Http404
