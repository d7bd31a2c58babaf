"""Pages of those who run the study: members, their roles, invitations, and the audit trail."""

from urllib.parse import urlencode

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.access import owner_only, role_names, staff_only
from accounts.models import Invitation, RoleName
from accounts.people import erasure, invitations, members, queries
from accounts.people.authority import clashes, grantable_roles, may_dismiss
from accounts.people.forms import InvitationForm, ReasonForm
from accounts.site.mail import invitation_link, send_invitations
from accounts.site.pages import SignedInRequest, told

PER_PAGE = 50  # rows of the audit trail


@staff_only
@require_GET
def people(request: SignedInRequest) -> HttpResponse:
    """Members with their roles, domains and conflicts; open invitations; the form of a new one."""
    return _page(request, InvitationForm(gift=_grantable(request)))


def _page(request: SignedInRequest, form: InvitationForm, status: int = 200) -> HttpResponse:
    context = {
        "members": queries.members(),
        "invitations": queries.pending_invitations(),
        "invitation_form": form,
        "gift": _grantable(request),
        "mail_leaves": settings.EMAIL_LEAVES,
        "now": timezone.now(),
    }
    return render(request, "accounts/people/people.html", context, status=status)


def _grantable(request: SignedInRequest) -> frozenset[str]:
    return grantable_roles(role_names(request.user))


@staff_only
@require_POST
def invite(request: SignedInRequest) -> HttpResponse:
    """Invite addresses by email; the answer shows their links, once."""
    form = InvitationForm(request.POST, gift=_grantable(request))
    if not form.is_valid():
        return _page(request, form, 422)
    emails, role = form.cleaned_data["emails"], form.cleaned_data["role"]
    made = invitations.invite_all(actor=request.user, emails=emails, role=role)
    invited = [new.invitation.email for new in made]
    context = {
        "sent": send_invitations(made),
        "mail_leaves": settings.EMAIL_LEAVES,
        "invited": [(new.invitation, invitation_link(new.token)) for new in made],
        "members": [address for address in emails if address not in invited],
    }
    return render(request, "accounts/people/invited.html", context)


@staff_only
@require_POST
def invitation_withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    """Withdraw an invitation, so that its link no longer works."""
    row = get_object_or_404(Invitation, pk=pk)
    with told(request, f"The invitation of {row.email} has been withdrawn."):
        invitations.withdraw_invitation(actor=request.user, invitation=row)
    return redirect("people")


@staff_only
@require_GET
def person(request: SignedInRequest, pk: int) -> HttpResponse:
    """One member, with forms to change their roles and account."""
    member = get_object_or_404(queries.members(), pk=pk)
    held, gift = role_names(member), _grantable(request)
    context: dict[str, object] = {
        "member": member,
        "held": [role for role in RoleName if role.value in held],
        "revocable": held & gift,
        "grantable": [role for role in RoleName if role.value in gift - held and not clashes(held, role)],
        "may_erase": member != request.user and RoleName.OWNER in role_names(request.user),
        "may_dismiss": member != request.user and may_dismiss(role_names(request.user), held),
        "has_second_factor": is_mfa_enabled(member),
        "reason_form": ReasonForm(),
        "events": queries.audit_events(target_kind="accounts.user", target_key=str(pk))[:20],
    }
    return render(request, "accounts/people/person.html", context)


def _reason(request: SignedInRequest) -> str:
    return request.POST.get("reason", "")[:1000]


@staff_only
@require_POST
def role_grant(request: SignedInRequest, pk: int) -> HttpResponse:
    """Grant a role."""
    member, role = get_object_or_404(queries.members(), pk=pk), request.POST.get("role", "")
    with told(request, f"{member} now has the role {role}."):
        members.grant_role(actor=request.user, member=member, role=role, reason=_reason(request))
    return redirect("person", pk=pk)


@staff_only
@require_POST
def role_revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    """Revoke a role."""
    member, role = get_object_or_404(queries.members(), pk=pk), request.POST.get("role", "")
    with told(request, f"{member} no longer has the role {role}."):
        members.revoke_role(actor=request.user, member=member, role=role, reason=_reason(request))
    return redirect("person", pk=pk)


@staff_only
@require_POST
def deactivate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Close an account."""
    member = get_object_or_404(queries.members(), pk=pk)
    with told(request, f"The account of {member} has been closed."):
        members.deactivate_user(actor=request.user, member=member, reason=_reason(request))
    return redirect("person", pk=pk)


@staff_only
@require_POST
def reactivate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Reopen an account."""
    member = get_object_or_404(queries.members(), pk=pk)
    with told(request, f"The account of {member} is open again."):
        members.reactivate_user(actor=request.user, member=member, reason=_reason(request))
    return redirect("person", pk=pk)


@staff_only
@require_POST
def second_factor_remove(request: SignedInRequest, pk: int) -> HttpResponse:
    """Remove a lost second factor."""
    member = get_object_or_404(queries.members(), pk=pk)
    with told(request, f"{member} signs in by password alone until another second factor is set up."):
        members.remove_second_factor(actor=request.user, member=member, reason=_reason(request))
    return redirect("person", pk=pk)


@owner_only
@require_POST
def erase(request: SignedInRequest, pk: int) -> HttpResponse:
    """Erase a member who asked for it; the page asks for the word "erase" first."""
    member = get_object_or_404(queries.members(), pk=pk)
    if request.POST.get("confirm", "").strip().lower() != "erase":
        messages.error(request, "Nothing was erased: type the word “erase” to confirm.")
        return redirect("person", pk=pk)
    with told(request, "The account has been erased; its labels are kept under a number."):
        erasure.erase_person(actor=request.user, member=member, reason=_reason(request))
    return redirect("people")


@owner_only
@require_GET
def audit_trail(request: SignedInRequest) -> HttpResponse:
    """Who did what, to what, when and why; newest first."""
    wanted = {name: request.GET.get(name, "").strip() for name in ("target_kind", "target_key", "verb")}
    page = Paginator(queries.audit_events(**wanted), PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "wanted": wanted, "query": urlencode(wanted), "kinds": queries.audited_kinds()}
    return render(request, "accounts/people/audit_trail.html", context)
