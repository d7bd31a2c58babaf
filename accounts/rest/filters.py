"""Parameters of the REST interface come from a list; one that is not on it is refused, never ignored."""

from collections.abc import Collection
from typing import Any

from django.core.exceptions import ValidationError as InvalidValue
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.rest.auth import IsStaffOfTheStudy

PAGING = frozenset({"cursor", "page_size"})


class ListedFilters(BaseFilterBackend):
    """Exact filters by the view's `filters`: parameter name to field lookup. Everything else answers 400."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        filters = listed(view)
        refuse_unlisted(request, {*filters, *PAGING})
        given = {name: request.query_params[name] for name in filters if name in request.query_params}
        for name, value in given.items():
            if "\0" in value:
                raise ValidationError({name: "contains a NUL character"})
            try:
                queryset.filter(**{filters[name]: value})
            except (ValueError, InvalidValue) as error:
                raise ValidationError({name: f"{value[:50]!r} is none of its values."}) from error
        return queryset.filter(**{filters[name]: value for name, value in given.items()})

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, object]]:
        """The parameters for the OpenAPI document."""
        return [
            {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
            for name in sorted(listed(view))
        ]


class StrictView(APIView):
    """A view without lists: it understands the parameters in its `filters`, by default none. Those in `repeatable` may
    have several values."""

    repeatable: Collection[str] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        refuse_unlisted(request, set(listed(self)), self.repeatable)


class StaffView(StrictView):
    """The same, for coordinators and owners."""

    permission_classes = [IsStaffOfTheStudy]


def refuse_unlisted(request: Request, known: set[str], repeatable: Collection[str] = ()) -> None:
    """Raise ValidationError, which answers 400, for query parameters that are not `known`, or repeated."""
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        words = f"known are {', '.join(sorted(known))}" if known else "this address takes none"
        raise ValidationError(dict.fromkeys(unknown, f"unknown parameter; {words}"))
    refuse_repeated(request, repeatable)


def refuse_repeated(request: Request, repeatable: Collection[str] = ()) -> None:
    """Raise ValidationError for a query parameter with several values: only the last would count."""
    values = request.query_params.lists()
    repeated = [name for name, given in values if len(given) > 1 and name not in repeatable]
    if repeated:
        raise ValidationError(dict.fromkeys(repeated, "is given more than once"))


def listed(view: APIView) -> dict[str, str]:
    """The view's own list of filters; empty if it has none."""
    filters: dict[str, str] = getattr(view, "filters", {})
    return filters
