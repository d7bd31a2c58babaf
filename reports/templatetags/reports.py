"""What the templates of reports need to show values by name, and to open what is behind a number."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse

from reports.artifact.fingerprints import short
from reports.core.wording import Definition, definitions_on, in_words
from stats.core.display import minus
from stats.core.text import interval, number

register = template.Library()
register.filter("in_words", in_words)
register.filter("short", short)
register.filter("minus", minus)


@register.filter
def value_of(values: Mapping[str, str], key: str) -> str:
    """The value under a key that is only known when the page is drawn; empty without one."""
    return values.get(key, "")


@register.filter
def estimate_words(estimate: Mapping[str, Any] | None) -> str:
    """Value and interval of an estimate; a dash where one side has none."""
    if estimate is None:
        return "–"
    if estimate["value"] is None:
        return in_words(str(estimate["reason"]))
    ends = interval(estimate["ci"]) if estimate["ci"] else ""
    return minus(f"{number(estimate['value'])} {ends}".strip())


@register.simple_tag
def definitions_of(page: str) -> list[Definition]:
    """The definitions at the foot of a page."""
    return definitions_on(page)


@register.simple_tag
def label_rows_of(release: str, **wanted: str) -> str:
    """The address of the label rows behind a number; filters that are empty are left out."""
    query = urlencode({column: value for column, value in wanted.items() if value})
    return f"{reverse('labels', args=[release])}?{query}"
