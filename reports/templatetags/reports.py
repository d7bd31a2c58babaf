"""What the templates of reports need to show values by name."""

from collections.abc import Mapping

from django import template

from reports.wording import in_words

register = template.Library()
register.filter("in_words", in_words)


@register.filter
def value_of(values: Mapping[str, str], key: str) -> str:
    """The value under a key that is only known when the page is drawn; empty without one."""
    return values.get(key, "")
