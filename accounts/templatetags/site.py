"""Template tags of the site's frame."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from django import template
from django.template.defaultfilters import date as in_format
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.profile.domains import domain_words
from accounts.site.scripts import imports_of

register = template.Library()
register.filter("domain_words", domain_words)


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, name: str, words: str) -> SafeString:
    """A link of the main navigation, marked as current on its own page and on the pages below it."""
    try:
        address = reverse(name)
    except NoReverseMatch:
        return SafeString("")
    request = context["request"]
    current = ""
    if request.path == address:
        current = "page"
    elif next((section for start, section in _SECTIONS if request.path_info.startswith(start)), "") == name:
        current = "true"
    mark = format_html(' aria-current="{}"', current) if current else ""
    return format_html('<a href="{}"{}>{}</a>', address, mark, words)


_SECTIONS = [  # the first that an address begins with
    ("/reports/history/", "people"),
    ("/grading/conflicts/", "people"),
    ("/people/", "people"),
    ("/judges/", "judges"),
    ("/solving/", "solve-runs"),
    ("/search/", "search"),
    ("/analyse/", "analyse"),
    ("/profile/", "profile"),
    ("/grading/finished/", "finished"),
    ("/grading/comments/", "comment-bank"),
    ("/studies/", "studies"),
    ("/releases/", "studies"),
    ("/imports/", "studies"),
    ("/reports/", "studies"),
    ("/status/", "studies"),
    ("/grading/campaigns/", "studies"),
    ("/grading/quarantine/", "studies"),
    ("/grading/rubrics/", "studies"),
    ("/grading/forms/", "studies"),
]


@register.simple_tag
def preload_imports(*names: str) -> SafeString:
    """Links that fetch what the module scripts `names` import, before the browser has read the scripts themselves."""
    imported = dict.fromkeys(each for name in names for each in imports_of(name))
    return format_html_join(
        "\n", '<link rel="modulepreload" href="{}">', ((static(each),) for each in imported)
    )


@register.filter
def pairs(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Keys with values, in order. `mapping.items` in a template asks for the key "items" first, which data can have."""
    return list(mapping.items())


@register.filter
def as_json(value: Any) -> str:
    """JSON for an attribute that a script reads; the template escapes it."""
    return json.dumps(value)


@register.filter
def in_words(value: Any) -> str:
    """A JSON value as people read it: lists and objects flat, without quotes and brackets."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {in_words(inner)}" for key, inner in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(in_words(inner) for inner in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


@register.filter
def due_words(day: date) -> str:
    """A due date with the end of its day, which people in other time zones would take for their own."""
    return f"{in_format(day, 'j F Y')}, 24:00 UTC"
