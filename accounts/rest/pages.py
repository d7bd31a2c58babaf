"""Pagination of the REST interface."""

from rest_framework.pagination import CursorPagination


class KeyedPagination(CursorPagination):
    """Pages by an opaque cursor over a fixed order, so that a page never shifts and no position leaks."""

    ordering = "id"
    page_size_query_param = "page_size"
    max_page_size = 500
