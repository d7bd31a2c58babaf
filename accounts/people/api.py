"""REST endpoints of those who run the study: members, roles, invitations, the audit trail."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import AuditEvent, Invitation, User
from accounts.people import erasure, invitations, members, queries
from accounts.people import serializers as shape
from accounts.profile.api import caller, understood
from accounts.rest.auth import IsOwner, IsStaffOfTheStudy
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView
from accounts.site.mail import send_invitation

REFUSED = {409: RefusalOut}


def member_or_404(pk: int) -> User:
    """A person with an account of their own."""
    return get_object_or_404(queries.members(), pk=pk)


def shown(pk: int) -> Response:
    """The member as stored now."""
    return Response(shape.PersonOut(member_or_404(pk)).data)


@extend_schema_view(get=extend_schema(operation_id="people_list"))
class PeopleView(ListAPIView[User]):
    """Members with their roles, domains and conflicts of interest."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.PersonOut

    def get_queryset(self) -> QuerySet[User]:
        return queries.members()


@extend_schema_view(get=extend_schema(operation_id="people_show"))
class PersonView(RetrieveAPIView[User]):
    """One member."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.PersonOut

    def get_queryset(self) -> QuerySet[User]:
        return queries.members()


class RolesView(StaffView):
    @extend_schema(
        operation_id="people_grant_role", request=shape.RoleIn, responses={200: shape.PersonOut, **REFUSED}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Grant a role; 409 when it is already held or conflicts with one that is."""
        sent = understood(shape.RoleIn, request)
        members.grant_role(actor=caller(request), member=member_or_404(pk), **sent)
        return shown(pk)


class RoleView(StaffView):
    @extend_schema(operation_id="people_revoke_role", responses={204: None, **REFUSED})
    def delete(self, request: Request, pk: int, role: str) -> Response:
        """Revoke a role; the last owner keeps theirs."""
        members.revoke_role(actor=caller(request), member=member_or_404(pk), role=role)
        return Response(status=204)


class DeactivateView(StaffView):
    @extend_schema(
        operation_id="people_deactivate", request=shape.ReasonIn, responses={200: shape.PersonOut, **REFUSED}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Close an account: it cannot sign in and its tokens stop working. Labels and history stay."""
        sent = understood(shape.ReasonIn, request)
        members.deactivate_user(actor=caller(request), member=member_or_404(pk), **sent)
        return shown(pk)


class ReactivateView(StaffView):
    @extend_schema(
        operation_id="people_reactivate", request=shape.ReasonIn, responses={200: shape.PersonOut, **REFUSED}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Reopen a closed account."""
        sent = understood(shape.ReasonIn, request)
        members.reactivate_user(actor=caller(request), member=member_or_404(pk), **sent)
        return shown(pk)


class SecondFactorView(StaffView):
    @extend_schema(operation_id="people_remove_second_factor", responses={204: None, **REFUSED})
    def delete(self, request: Request, pk: int) -> Response:
        """Remove the second factor of a person who lost it together with its recovery codes."""
        members.remove_second_factor(actor=caller(request), member=member_or_404(pk))
        return Response(status=204)


class EraseView(APIView):
    permission_classes = [IsOwner]

    @extend_schema(operation_id="people_erase", request=shape.ReasonIn, responses={204: None, **REFUSED})
    def post(self, request: Request, pk: int) -> Response:
        """Erase a member who asked for it; their labels stay under a number. Cannot be undone."""
        sent = understood(shape.ReasonIn, request)
        erasure.erase_person(actor=caller(request), member=member_or_404(pk), **sent)
        return Response(status=204)


class InvitationsView(ListAPIView[Invitation]):
    """Invitations that are neither accepted nor withdrawn; they may have expired."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.InvitationOut

    def get_queryset(self) -> QuerySet[Invitation]:
        return queries.pending_invitations()

    @extend_schema(operation_id="invitations_list")
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="invitations_create",
        request=shape.InvitationIn,
        responses={201: shape.NewInvitationOut, **REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Invite an address by email. A newer invitation replaces an older one."""
        made = invitations.invite(actor=caller(request), **understood(shape.InvitationIn, request))
        mailed = send_invitation(made)
        return Response({**shape.InvitationOut(made.invitation).data, "mailed": mailed}, status=201)


class InvitationView(StaffView):
    @extend_schema(operation_id="invitations_withdraw", responses={204: None, **REFUSED})
    def delete(self, request: Request, pk: int) -> Response:
        """Withdraw an invitation, so that its link no longer works."""
        invitations.withdraw_invitation(
            actor=caller(request), invitation=get_object_or_404(Invitation, pk=pk)
        )
        return Response(status=204)


@extend_schema_view(get=extend_schema(operation_id="audit_trail_list"))
class AuditTrailView(ListAPIView[AuditEvent]):
    """Who did what, to what, when and why; oldest first. For owners."""

    permission_classes = [IsOwner]
    serializer_class = shape.AuditEventOut
    filters = {"target_kind": "target_kind", "target_key": "target_key", "verb": "verb"}

    def get_queryset(self) -> QuerySet[AuditEvent]:
        return queries.audit_events()
