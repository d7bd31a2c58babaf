"""A write that is sent again with its Idempotency-Key happens once and is answered alike."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

from accounts.models import AuditEvent, IdempotencyRecord, User
from accounts.refusal import Refused
from accounts.rest.idempotency import idempotent
from accounts.trail import record

pytestmark = pytest.mark.django_db


class Note(APIView):
    """Writes one audit event per request; the body says how it ends."""

    @idempotent
    def post(self, request: Any) -> Response:
        event = record(actor=request.user, verb="note", target=("note", "1"))
        if request.data.get("end") == "refuse":
            raise Refused("Not now.", code="not_now")
        if request.data.get("end") == "refuse quietly":
            return Response({"code": "not_now"}, status=409)
        if request.data.get("end") == "empty":
            return Response(status=204)
        return Response({"event": event.pk}, status=201)


def send(user: User, body: dict[str, Any], key: str | None, address: str = "/note/") -> Response:
    headers = {} if key is None else {"HTTP_IDEMPOTENCY_KEY": key}
    request = APIRequestFactory().post(address, json.dumps(body), content_type="application/json", **headers)
    force_authenticate(request, user)
    return Note.as_view()(request)


def notes() -> int:
    return AuditEvent.objects.filter(verb="note").count()


def test_the_same_key_and_body_write_once_and_get_the_same_reply(algebraist):
    first, again = send(algebraist, {"a": 1, "b": 2}, "k1"), send(algebraist, {"b": 2, "a": 1}, "k1")
    assert notes() == 1
    assert (again.status_code, again.data) == (201, first.data)


def test_the_same_key_with_another_body_or_address_is_refused_and_writes_nothing(algebraist):
    send(algebraist, {"a": 1}, "k1")
    for reply in [send(algebraist, {"a": 2}, "k1"), send(algebraist, {"a": 1}, "k1", "/other/")]:
        assert (reply.status_code, reply.data["code"]) == (422, "idempotency_mismatch")
    assert notes() == 1


def test_without_a_key_every_request_writes(algebraist):
    send(algebraist, {}, None)
    send(algebraist, {}, None)
    assert notes() == 2


def test_two_people_may_choose_the_same_key(algebraist, analyst):
    send(algebraist, {}, "k1")
    send(analyst, {}, "k1")
    assert notes() == 2


@pytest.mark.parametrize("end", ["refuse", "refuse quietly"])
def test_a_refused_write_leaves_nothing_and_may_be_tried_again(algebraist, end):
    assert send(algebraist, {"end": end}, "k1").status_code == 409
    assert (notes(), IdempotencyRecord.objects.count()) == (0, 0)
    assert send(algebraist, {}, "k1").status_code == 201


def test_an_empty_reply_is_replayed_empty(algebraist):
    send(algebraist, {"end": "empty"}, "k1")
    again = send(algebraist, {"end": "empty"}, "k1")
    assert (again.status_code, again.data, notes()) == (204, None, 1)


@pytest.mark.parametrize("key", ["", "   ", "k" * 201])
def test_a_key_that_names_nothing_is_refused(algebraist, key):
    assert (send(algebraist, {}, key).data["code"], notes()) == ("bad_key", 0)


@pytest.mark.django_db(transaction=True)
def test_twenty_parallel_requests_write_once_and_get_equal_replies(algebraist):
    def one(_: int) -> tuple[int, Any]:
        try:
            reply = send(algebraist, {"a": 1}, "k1")
            return reply.status_code, reply.data
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=20) as pool:
        replies = list(pool.map(one, range(20)))
    assert replies == [(201, {"event": AuditEvent.objects.get(verb="note").pk})] * 20
