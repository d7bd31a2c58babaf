"""What the templates of printed reports need."""

import re

from django import template
from django.utils.safestring import SafeString, mark_safe

from annotation.templatetags.grading import words_math
from benchmark.templatetags.titles import title_math

# The renderer escapes both signs in texts and in attributes, and quotes in attributes alone.
_TAG = re.compile(r"<[^<>]*>")
_ID = re.compile(r' id="')
_INNER_LINK = re.compile(r' href="#')

register = template.Library()
register.filter("print_math", title_math)
register.filter("remark_math", words_math)


@register.filter
def in_item(html: str, number: int) -> SafeString:
    """A block's safe HTML with its ids and inner links made the item's own, for a page of many items."""

    def owned(tag: re.Match[str]) -> str:
        return _INNER_LINK.sub(f' href="#i{number}-', _ID.sub(f' id="i{number}-', tag[0]))

    # The blocks come out of the renderer's sanitiser, and what is put in is a number.
    return mark_safe(_TAG.sub(owned, html))  # noqa: S308 # nosec
