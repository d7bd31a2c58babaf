"""Pagination of the REST interface."""

import re
from base64 import b64decode
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

from django.core.exceptions import ValidationError as InvalidValue
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

_SIZE = re.compile(r"0*[1-9][0-9]{0,8}")


class KeyedPagination(CursorPagination):
    """Pages by an opaque cursor over a fixed order, so that a page never shifts and no position leaks.

    An invalid size and a damaged cursor are refused: if the reply were the first page, its rows would be counted twice.
    """

    ordering = "id"
    page_size_query_param = "page_size"
    max_page_size = 500

    def paginate_queryset(
        self, queryset: QuerySet[Any] | Sequence[Any], request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """The rows of the page. Raises NotFound for a cursor that names an impossible place."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, InvalidValue) as error:
            raise NotFound(self.invalid_cursor_message) from error

    def get_page_size(self, request: Request) -> int | None:
        """The size that was asked for, at most 500. Raises ValidationError unless it is a whole number from 1."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked is not None and not _SIZE.fullmatch(asked):
            raise ValidationError({self.page_size_query_param: "must be a whole number, 1 or more"})
        return super().get_page_size(request)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The place that a page's link names; an empty one is the beginning. Raises NotFound for a damaged one."""
        given = request.query_params.get(self.cursor_query_param)
        if given:
            try:
                parts = parse_qs(b64decode(given, validate=True).decode(), strict_parsing=True)
            except ValueError as error:
                raise NotFound(self.invalid_cursor_message) from error
            if not {"o", "r", "p"}.issuperset(parts):
                raise NotFound(self.invalid_cursor_message)
        return super().decode_cursor(request)
