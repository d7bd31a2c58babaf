"""Filters of the REST interface come from a list; a parameter that is not on it is refused, never ignored."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

PAGING = frozenset({"cursor", "page_size"})


class ListedFilters(BaseFilterBackend):
    """Exact filters by the view's `filters`: parameter name to field lookup. Everything else answers 400."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        filters = listed(view)
        unknown = sorted(set(request.query_params) - set(filters) - PAGING)
        if unknown:
            known = ", ".join(sorted({*filters, *PAGING}))
            raise ValidationError(dict.fromkeys(unknown, f"unknown parameter; known are {known}"))
        given = {name: request.query_params[name] for name in filters if name in request.query_params}
        if any("\0" in value for value in given.values()):
            raise ValidationError(dict.fromkeys(given, "holds a NUL character"))
        return queryset.filter(**{filters[name]: value for name, value in given.items()})

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """The parameters for the OpenAPI document."""
        return [
            {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
            for name in sorted(listed(view))
        ]


def listed(view: APIView) -> dict[str, str]:
    """The view's own list of filters; empty if it has none."""
    filters: dict[str, str] = getattr(view, "filters", {})
    return filters
