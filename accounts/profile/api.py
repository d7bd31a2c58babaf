"""REST endpoints of the caller's own account: name, domains, conflicts of interest, access tokens."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from accounts.models import AccessToken, User
from accounts.people import serializers as shape
from accounts.people.queries import tokens_in_use
from accounts.profile import actions, tokens
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StrictView
from accounts.signing_in.proof import check_password_again


def caller(request: Request) -> User:
    """The signed-in person; the default permission lets nobody else in."""
    return cast(User, request.user)


Shape = TypeVar("Shape", bound=BaseSerializer[Any])


def checked(serializer: type[Shape], request: Request) -> Shape:
    """The serializer, valid; raises ValidationError naming each field that is wrong or that it does not know."""
    sent = serializer(data=request.data)
    unknown = list(_unknown_fields(sent, request.data))
    if unknown:
        raise ValidationError(dict.fromkeys(unknown, "This field is not known here."))
    sent.is_valid(raise_exception=True)
    return sent


def understood(serializer: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The request's fields as the serializer reads them; raises ValidationError as `checked` does."""
    return dict(checked(serializer, request).validated_data)


def _unknown_fields(field: Any, data: Any, path: str = "") -> Iterator[str]:
    """Dotted names in `data` that no writable field of the serializer has, at any depth."""
    if isinstance(field, ListSerializer):
        for inner in data if isinstance(data, list) else ():
            yield from _unknown_fields(field.child, inner, path)
    elif isinstance(field, Serializer) and isinstance(data, Mapping):
        for name, inner in data.items():
            known = field.fields.get(name)
            if known is None or known.read_only:
                yield f"{path}{name}"
            else:
                yield from _unknown_fields(known, inner, f"{path}{name}.")


class MeView(StrictView):
    @extend_schema(operation_id="me_show", responses=shape.MeOut)
    def get(self, request: Request) -> Response:
        """The caller's name, roles, domains and conflicts of interest."""
        return Response(shape.MeOut(caller(request)).data)

    @extend_schema(operation_id="me_rename", request=shape.MeIn, responses=shape.MeOut)
    def patch(self, request: Request) -> Response:
        """Change the caller's name."""
        actions.rename(actor=caller(request), **understood(shape.MeIn, request))
        return Response(shape.MeOut(User.objects.get(pk=caller(request).pk)).data)


class PreferencesView(StrictView):
    @extend_schema(
        operation_id="me_set_preferences",
        request=shape.PreferencesIn,
        responses={200: shape.MeOut, 409: RefusalOut},
    )
    def put(self, request: Request) -> Response:
        """Capacity, absence, credit and reminders, all at once."""
        actions.set_preferences(actor=caller(request), **understood(shape.PreferencesIn, request))
        return Response(shape.MeOut(User.objects.get(pk=caller(request).pk)).data)


class ExpertiseView(StrictView):
    @extend_schema(operation_id="me_state_expertise", request=shape.ExpertiseIn, responses=shape.ExpertiseOut)
    def put(self, request: Request) -> Response:
        """Set or change the caller's confidence in a domain: 1 familiar, 2 working knowledge, 3 expert."""
        stated = actions.state_expertise(actor=caller(request), **understood(shape.ExpertiseIn, request))
        return Response(shape.ExpertiseOut(stated).data)


class StatedExpertiseView(StrictView):
    @extend_schema(operation_id="me_remove_expertise", responses={204: None, 409: RefusalOut})
    def delete(self, request: Request, domain: str) -> Response:
        """Remove a domain."""
        actions.remove_expertise(actor=caller(request), domain=domain)
        return Response(status=204)


class ConflictsView(StrictView):
    @extend_schema(operation_id="me_declare_conflict", request=shape.ConflictIn, responses=shape.ConflictOut)
    def put(self, request: Request) -> Response:
        """Declare a conflict of interest; declaring it again replaces the reason."""
        declared = actions.declare_conflict(actor=caller(request), **understood(shape.ConflictIn, request))
        return Response(shape.ConflictOut(declared).data)


class ConflictView(StrictView):
    @extend_schema(operation_id="me_withdraw_conflict", responses={204: None, 409: RefusalOut})
    def delete(self, request: Request, kind: str, key: str) -> Response:
        """Withdraw a declaration."""
        actions.withdraw_conflict(actor=caller(request), kind=kind, key=key)
        return Response(status=204)


class TokensView(ListAPIView[AccessToken]):
    """The caller's access tokens in use, without their secrets."""

    serializer_class = shape.TokenOut
    queryset = AccessToken.objects.none()

    def get_queryset(self) -> QuerySet[AccessToken]:
        return tokens_in_use(caller(self.request))

    @extend_schema(operation_id="tokens_list")
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="tokens_create",
        request=shape.TokenIn,
        responses={201: shape.NewTokenOut, 409: RefusalOut},
    )
    def post(self, request: Request) -> Response:
        """Create a token. Its secret is in this reply only, so an Idempotency-Key is not honoured here."""
        asked = understood(shape.TokenIn, request)
        check_password_again(request, asked.pop("password"))
        made = tokens.create_token(actor=caller(request), **asked)
        return Response({**shape.TokenOut(made.row).data, "secret": made.secret}, status=201)


class TokenView(StrictView):
    @extend_schema(operation_id="tokens_revoke", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke a token; 404 for one that is not the caller's or was revoked."""
        token = get_object_or_404(AccessToken, pk=pk, user=caller(request), revoked_at=None)
        tokens.revoke_token(actor=caller(request), token=token)
        return Response(status=204)
