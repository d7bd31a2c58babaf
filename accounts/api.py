"""REST endpoints of one's own account: name, domains, conflicts of interest, access tokens."""

from typing import Any, cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from accounts import actions
from accounts import serializers as shape
from accounts.api_errors import RefusalOut
from accounts.models import AccessToken, User


def caller(request: Request) -> User:
    """The signed-in person; the default permission lets nobody else in."""
    return cast(User, request.user)


def understood(serializer: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The request's fields as the serializer reads them; raises ValidationError naming what is wrong."""
    sent = serializer(data=request.data)
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


class MeView(APIView):
    @extend_schema(operation_id="me_show", responses=shape.MeOut)
    def get(self, request: Request) -> Response:
        """The caller's name, roles, domains and conflicts of interest."""
        return Response(shape.MeOut(caller(request)).data)

    @extend_schema(operation_id="me_rename", request=shape.MeIn, responses=shape.MeOut)
    def patch(self, request: Request) -> Response:
        """Change one's name."""
        actions.rename(actor=caller(request), **understood(shape.MeIn, request))
        return Response(shape.MeOut(User.objects.get(pk=caller(request).pk)).data)


class PreferencesView(APIView):
    @extend_schema(
        operation_id="me_set_preferences",
        request=shape.PreferencesIn,
        responses={200: shape.MeOut, 409: RefusalOut},
    )
    def put(self, request: Request) -> Response:
        """Capacity, absence, credit and reminders, all at once."""
        actions.set_preferences(actor=caller(request), **understood(shape.PreferencesIn, request))
        return Response(shape.MeOut(User.objects.get(pk=caller(request).pk)).data)


class ExpertiseView(APIView):
    @extend_schema(operation_id="me_state_expertise", request=shape.ExpertiseIn, responses=shape.ExpertiseOut)
    def put(self, request: Request) -> Response:
        """State or restate one's confidence in a domain: 1 familiar, 2 working knowledge, 3 expert."""
        stated = actions.state_expertise(actor=caller(request), **understood(shape.ExpertiseIn, request))
        return Response(shape.ExpertiseOut(stated).data)


class StatedExpertiseView(APIView):
    @extend_schema(operation_id="me_remove_expertise", responses={204: None, 409: RefusalOut})
    def delete(self, request: Request, domain: str) -> Response:
        """Take a domain back."""
        actions.remove_expertise(actor=caller(request), domain=domain)
        return Response(status=204)


class ConflictsView(APIView):
    @extend_schema(operation_id="me_declare_conflict", request=shape.ConflictIn, responses=shape.ConflictOut)
    def put(self, request: Request) -> Response:
        """Declare a conflict of interest; declared again, the reason is replaced."""
        declared = actions.declare_conflict(actor=caller(request), **understood(shape.ConflictIn, request))
        return Response(shape.ConflictOut(declared).data)


class ConflictView(APIView):
    @extend_schema(operation_id="me_withdraw_conflict", responses={204: None, 409: RefusalOut})
    def delete(self, request: Request, kind: str, key: str) -> Response:
        """Take a declaration back."""
        actions.withdraw_conflict(actor=caller(request), kind=kind, key=key)
        return Response(status=204)


class TokensView(ListAPIView[AccessToken]):
    """The caller's access tokens in use, without their secrets."""

    serializer_class = shape.TokenOut
    queryset = AccessToken.objects.none()

    def get_queryset(self) -> QuerySet[AccessToken]:
        return AccessToken.objects.filter(user=self.request.user.pk, revoked_at=None)

    @extend_schema(operation_id="tokens_list")
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="tokens_create",
        request=shape.TokenIn,
        responses={201: shape.NewTokenOut, 409: RefusalOut},
    )
    def post(self, request: Request) -> Response:
        """Make a token. Its secret is in this reply only, so an Idempotency-Key is not honoured here."""
        made = actions.create_token(actor=caller(request), **understood(shape.TokenIn, request))
        return Response({**shape.TokenOut(made.row).data, "secret": made.secret}, status=201)


class TokenView(APIView):
    @extend_schema(operation_id="tokens_revoke", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Stop a token for good; 404 for one that is not the caller's or was revoked."""
        token = get_object_or_404(AccessToken, pk=pk, user=caller(request), revoked_at=None)
        actions.revoke_token(actor=caller(request), token=token)
        return Response(status=204)
