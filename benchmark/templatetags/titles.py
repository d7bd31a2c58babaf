"""Titles of instances and names of runs, as pages show them."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchmark.models import Run
from benchmark.releases.queries import arm_name

register = template.Library()


@register.filter
def arm(run: Run) -> str:
    """The name by which the run is asked for."""
    return arm_name(run)


@register.filter
def title_math(title: str) -> SafeString:
    """A title with its `$...$` marked for KaTeX; a title with an odd dollar stays as it is."""
    pieces = title.split("$")
    if len(pieces) % 2 == 0:
        return format_html("{}", title)
    formula = '<span class="math" data-display="false" data-source="${0}$">{0}</span>'
    shown = (format_html(formula, piece) if number % 2 else piece for number, piece in enumerate(pieces))
    return format_html_join("", "{}", ((piece,) for piece in shown))
