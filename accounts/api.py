"""REST endpoints of one's own account: who am I, and access tokens."""

from typing import cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import actions
from accounts import serializers as shape
from accounts.api_errors import RefusalOut
from accounts.models import AccessToken, User


def caller(request: Request) -> User:
    """The signed-in person; the default permission lets nobody else in."""
    return cast(User, request.user)


class MeView(APIView):
    @extend_schema(operation_id="me_show", responses=shape.MeOut)
    def get(self, request: Request) -> Response:
        """The caller's name, roles, domains and conflicts of interest."""
        return Response(shape.MeOut(caller(request)).data)


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
        sent = shape.TokenIn(data=request.data)
        sent.is_valid(raise_exception=True)
        made = actions.create_token(actor=caller(request), **sent.validated_data)
        return Response({**shape.TokenOut(made.row).data, "secret": made.secret}, status=201)


class TokenView(APIView):
    @extend_schema(operation_id="tokens_revoke", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Stop a token for good; 404 for one that is not the caller's or was revoked."""
        token = get_object_or_404(AccessToken, pk=pk, user=caller(request), revoked_at=None)
        actions.revoke_token(actor=caller(request), token=token)
        return Response(status=204)
