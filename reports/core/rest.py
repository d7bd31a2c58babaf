"""What the REST endpoints of reports share: the parameters of a choice, and the answer to one that is refused."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.refusal import NotAllowed, Refused
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.filters import refuse_repeated
from benchmark.models import Release
from reports.core.choosing import PARAMETERS, Chosen, choose, only_known
from reports.core.requests import release_or_404


def query(name: str, words: str) -> OpenApiParameter:
    """A parameter that may be left out."""
    return OpenApiParameter(name, str, OpenApiParameter.QUERY, required=False, description=words)


TRACK = query("track", "Left out: raw, or the first track there is.")
JUDGE = query("judge", "A judge version such as judge-v1; left out: the first that has verdicts.")

TUPLE = query("tuple", "A frozen tuple, or none for runs of no tuple; needed where the runs are of several.")
CONDITION = query("condition", "A condition of the runs, such as oracle; left out or usual: the usual one.")
CHOICE = [TRACK, CONDITION, JUDGE, TUPLE]


def invalid(refusal: Refused) -> ValidationError | NotFound:
    """A refused parameter as HTTP says it: 404 for what is not there, 400 for what is not understood."""
    if refusal.code.startswith("no_"):
        return NotFound(refusal.reason)
    return ValidationError({refusal.field or "parameter": refusal.reason})


def chosen_or_error(release: Release, asked: Any) -> Chosen:
    """The track and judge that a request names."""
    try:
        return choose(release, asked)
    except Refused as refusal:
        raise invalid(refusal) from refusal


class ReadingView(APIView):
    """Reads for coordinators and owners by the parameters of a request: what a GET refuses is one of them."""

    permission_classes = [IsStaffOfTheStudy]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        refuse_repeated(request)

    def handle_exception(self, exc: Exception) -> Response:
        if (
            isinstance(exc, Refused)
            and not isinstance(exc, NotAllowed)
            and self.request.method in SAFE_METHODS
        ):
            exc = invalid(exc)
        return super().handle_exception(exc)

    def chosen(self, request: Request, name: str, *more: str) -> Chosen:
        """The release of this name with the choice of a request, whose other parameters are `more`."""
        release = release_or_404(name)
        only_known(request.query_params, *PARAMETERS, *more)
        return choose(release, request.query_params)
