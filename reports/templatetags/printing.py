"""What the templates of printed reports need."""

import re

from django import template
from django.utils.safestring import SafeString, mark_safe

from annotation.templatetags.grading import words_math
from benchmark.templatetags.titles import title_math

_IDS = re.compile(r'( id)="')
_INNER_LINKS = re.compile(r' href="#')

register = template.Library()
register.filter("print_math", title_math)
register.filter("remark_math", words_math)


@register.filter
def in_item(html: str, number: int) -> SafeString:
    """A block's safe HTML with its ids and inner links made the item's own, for a page of many items."""
    owned = _IDS.sub(rf'\1="i{number}-', html)
    # The blocks come out of the renderer's sanitiser, and what is put in is a number.
    return mark_safe(_INNER_LINKS.sub(f' href="#i{number}-', owned))  # noqa: S308 # nosec
