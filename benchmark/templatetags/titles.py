"""Titles of instances, as pages show them."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def title_math(title: str) -> SafeString:
    """A title with its `$...$` marked for KaTeX; a title with an odd dollar stays as it is."""
    pieces = title.split("$")
    if len(pieces) % 2 == 0:
        return format_html("{}", title)
    formula = '<span class="math" data-display="false" data-source="${0}$">{0}</span>'
    shown = (format_html(formula, piece) if number % 2 else piece for number, piece in enumerate(pieces))
    return format_html_join("", "{}", ((piece,) for piece in shown))
