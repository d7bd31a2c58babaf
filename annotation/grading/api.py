"""REST endpoints of reviewers: the queue and their own places."""

from collections.abc import Callable
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import role_names
from accounts.models import RoleName, TokenScope
from accounts.profile.api import caller, understood
from accounts.rest.filters import StrictView
from accounts.rest.idempotency import OPTIONAL_KEY, idempotent
from accounts.rest.shape import shaped, shaped_all
from annotation.assigning import actions as assigning_actions
from annotation.assigning import taking
from annotation.core import queries
from annotation.core import serializers as shape
from annotation.core.places import place_or_404, place_to_read_or_404
from annotation.grading import actions
from annotation.grading.shown import own_place, queue_item, submitted_values
from annotation.models import SideDraft

REFUSED = {409: shape.PlaceRefusalOut, 422: shape.PlaceRefusalOut}
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description="Names this submission: sent again with the same body, the same grade comes back.",
)


def side_draft_reply(request: Request, save: Callable[..., SideDraft], **form: Any) -> Response:
    """Save a side draft with `save`; 409 with the stored text when another is newer."""
    sent = understood(shape.DraftIn, request)
    del sent["active_seconds"]
    return Response(shaped(shape.DraftOut, save(reviewer=caller(request), **form, **sent)))


class AssignmentView(StrictView):
    """One of the caller's own items."""

    token_scope = TokenScope.GRADE

    @extend_schema(operation_id="assignment_show", responses=shape.AssignmentOut)
    def get(self, request: Request, handle: str) -> Response:
        """What is shown, asked, drafted and submitted."""
        place = place_to_read_or_404(caller(request), handle)
        return Response(shaped(shape.AssignmentOut, own_place(place)))

    @extend_schema(
        operation_id="assignment_save_draft",
        request=shape.DraftIn,
        responses={200: shape.DraftOut, **REFUSED},
    )
    def put(self, request: Request, handle: str) -> Response:
        """Save the draft over `version`; a newer draft answers 409 with its text and overwrites nothing."""
        place = place_or_404(caller(request), handle)
        sent = understood(shape.DraftIn, request)
        draft = actions.save_draft(reviewer=caller(request), assignment=place, **sent)
        return Response(shaped(shape.DraftOut, draft))

    @extend_schema(
        operation_id="assignment_submit",
        parameters=[KEY],
        request=shape.SubmissionIn,
        responses={201: shape.GradeOut, **REFUSED},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Submit the answers; a reopened item is revised."""
        try:
            sent = understood(shape.SubmissionIn, request)
        except ValidationError:
            place_or_404(caller(request), handle)  # to others the address does not exist, whatever they send
            raise
        key = request.headers.get("Idempotency-Key", "")
        try:
            done = actions.submit_or_revise(
                reviewer=caller(request),
                handle=handle,
                sent=actions.Sent(idempotency_key=key, **sent),
            )
        except actions.NoPlace as unknown:
            raise Http404 from unknown
        return Response(shaped(shape.GradeOut, submitted_values(done)), status=201)


class ReopenView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(operation_id="assignment_reopen", request=None, responses={200: shape.DraftOut, **REFUSED})
    def post(self, request: Request, handle: str) -> Response:
        """Unlock an own grade for revision until the campaign closes."""
        draft = actions.reopen_grade(
            reviewer=caller(request), assignment=place_or_404(caller(request), handle)
        )
        return Response(shaped(shape.DraftOut, draft))


class OutOfFieldView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(
        operation_id="assignment_out_of_field",
        request=shape.OutOfFieldIn,
        responses={204: None, **REFUSED},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Give up the place: it is not in the caller's field."""
        place = place_or_404(caller(request), handle)
        sent = understood(shape.OutOfFieldIn, request)
        assigning_actions.say_out_of_field(reviewer=caller(request), assignment=place, **sent)
        return Response(status=204)


class QueueView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(operation_id="queue_list", responses=shape.QueueItemOut(many=True))
    def get(self, request: Request) -> Response:
        """The caller's waiting items, in the caller's own order."""
        user = caller(request)
        waiting = queries.waiting(user) if RoleName.REVIEWER in role_names(user) else ()
        rows = [queue_item(place) for place in waiting]
        return Response(shaped_all(shape.QueueItemOut, rows))

    @extend_schema(
        operation_id="queue_take",
        parameters=[OPTIONAL_KEY],
        request=shape.TakeIn,
        responses={201: shape.AssignmentOut, **REFUSED},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Take one more item of an open campaign and read it; 409 with code nothing_left when there is none."""
        slug = understood(shape.TakeIn, request)["campaign"]
        place = taking.take_next_of(reviewer=caller(request), slug=slug)
        return Response(shaped(shape.AssignmentOut, own_place(place)), status=201)
