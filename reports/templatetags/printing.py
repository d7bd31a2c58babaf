"""What the templates of printed reports need."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotation.templatetags.grading import title_math

_IDS = re.compile(r'( id)="')
_INNER_LINKS = re.compile(r' href="#')
_REMARK_MATH = re.compile(r"\$(?=\S)([^$\n]{1,500})(?<=\S)\$(?!\d)")

register = template.Library()
register.filter("print_math", title_math)


@register.filter
def remark_math(text: str) -> SafeString:
    """A remark with its `$...$` marked as formulas; dollars beside blanks or before a digit stay dollars."""
    marked = _REMARK_MATH.sub(
        r'<span class="math" data-display="false" data-source="$\1$">\1</span>', escape(text)
    )
    return mark_safe(marked)  # noqa: S308  escaped before anything was added


@register.filter
def in_item(html: str, number: int) -> SafeString:
    """A block's safe HTML with its ids and inner links made the item's own, for a page of many items."""
    owned = _IDS.sub(rf'\1="i{number}-', html)
    return mark_safe(_INNER_LINKS.sub(f' href="#i{number}-', owned))  # noqa: S308  the renderer's sanitised HTML
