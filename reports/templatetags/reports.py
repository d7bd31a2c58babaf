"""What the templates of reports need to show values by name."""

from collections.abc import Mapping
from typing import Any

from django import template

from reports.fingerprints import short
from reports.wording import in_words
from stats.text import interval, number

register = template.Library()
register.filter("in_words", in_words)
register.filter("short", short)


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
    return f"{number(estimate['value'])} {interval(estimate['ci']) if estimate['ci'] else ''}".strip()
