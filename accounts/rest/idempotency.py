"""`Idempotency-Key` on writes: a repeated request gets the first reply and writes nothing."""

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import IdempotencyRecord, User
from accounts.refusal import Refused
from accounts.rest.errors import REFUSED

MAX_KEY_LENGTH = 200
OPTIONAL_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description=(
        "Names this request, in at most 200 characters. Sent again with the same body, the first reply comes "
        "back; with another body it is refused with 422."
    ),
)
Method = Callable[..., Response]


def idempotent(method: Method) -> Method:
    """A writing method of an API view that honours the header; without the header nothing changes.

    The reply is stored in the transaction of the write, so that both are there or neither. A refusal is not
    stored: the same request may succeed later. Not for replies that hold a secret.
    """

    @wraps(method)
    def gate(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get("Idempotency-Key")
        if key is None:
            return method(view, request, *args, **kwargs)
        if not key.strip() or len(key) > MAX_KEY_LENGTH:
            raise Refused(f"An idempotency key has 1 to {MAX_KEY_LENGTH} characters.", code="bad_key")
        # over method, address and body; the order of a JSON object's fields does not matter
        fields = dict(request.data.lists()) if isinstance(request.data, QueryDict) else request.data
        body = json.dumps(fields, sort_keys=True, ensure_ascii=False, default=_hash_of_file)
        whole = "\n".join([request.method or "", request.get_full_path(), body])
        digest = hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()
        own_key = {"user": cast(User, request.user), "key": key}
        with transaction.atomic():
            try:
                with transaction.atomic():  # a parallel request waits here for ours
                    record = IdempotencyRecord.objects.create(
                        **own_key, request_sha256=digest, status=0, body={}
                    )
            except IntegrityError:
                first = IdempotencyRecord.objects.get(**own_key)
                if first.request_sha256 != digest:
                    reason = "This idempotency key was used for another request."
                    raise Refused(reason, code="idempotency_mismatch") from None
                return Response(first.body["reply"], status=first.status)
            response = method(view, request, *args, **kwargs)
            if response.status_code >= 400:
                transaction.set_rollback(True)
            else:
                empty = response.data is None
                reply = None if empty else json.loads(JSONRenderer().render(response.data))
                record.status, record.body = response.status_code, {"reply": reply}
                record.save(update_fields=["status", "body"])
            return response

    return gate


def writes(
    operation_id: str, *, request: Any, responses: dict[int, Any], **more: Any
) -> Callable[[Method], Method]:
    """An idempotent method with its entry in the OpenAPI document; the header and the refusals are added."""
    described = extend_schema(
        operation_id=operation_id,
        parameters=[OPTIONAL_KEY],
        request=request,
        responses={**responses, **REFUSED},
        **more,
    )
    return lambda method: described(idempotent(method))


def _hash_of_file(file: Any) -> str:
    """What stands for an uploaded file in the body. Raises TypeError for anything else."""
    if not isinstance(file, UploadedFile):
        raise TypeError(f"{type(file).__name__} is not a value of a form")
    total = hashlib.sha256()
    for chunk in file.chunks():
        total.update(chunk)
    file.seek(0)
    return f"{file.name} {total.hexdigest()}"
