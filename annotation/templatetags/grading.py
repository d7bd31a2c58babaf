"""Filters of the grading pages."""

import re
from collections.abc import Iterable

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from annotation.grading.remarks import Remark, words_between
from annotation.grading.sheets import Sheet
from stats.core.scale import value_words

# As static/js/grading/words.js: $$..$$ and \[..\] are displays, $..$ and \(..\) are inline; \$ is a dollar, and
# so is one beside a blank or before a digit.
FORMULA = re.compile(
    r"(?<!\\)\$\$(.+?)\$\$|(?<!\\)\$(?=\S)([^$]{1,500}?)(?<=[^\s\\])\$(?!\d)|\\\[(.+?)\\\]|\\\((.+?)\\\)",
    re.DOTALL,
)

register = template.Library()


@register.filter
def on_file(remarks: Iterable[Remark], block: str) -> list[Remark]:
    """The remarks on pages of one attached PDF, in the order of its pages."""
    return sorted(
        (one for one in remarks or () if one.block.startswith(f"{block}-page")), key=lambda one: one.page
    )


@register.filter
def without_place(remarks: Iterable[Remark]) -> list[Remark]:
    """The remarks that no passage and no page shows."""
    return [one for one in remarks or () if one.has_no_place]


@register.filter
def quoted_from(remark: Remark, source: str) -> str:
    """The words that the remark is about, in the source of its passage; empty if that is the passage as a whole."""
    return remark.quote or words_between(source, remark.comment.start, remark.comment.end)


@register.filter
def step_of(key: str, sheet: Sheet) -> str:
    """The step as graders saw it named, by its key."""
    return sheet.step_names.get(key, key)


register.filter(value_words)


@register.filter
def words_math(text: str) -> SafeString:
    """Text that a person typed, with its formulas marked for KaTeX; everything else stays text."""
    pieces, at = [], 0
    for found in FORMULA.finditer(text):
        block, inline, bracket, paren = found.groups()
        latex, display = block or bracket or inline or paren, bool(block or bracket)
        pieces.append(format_html("{}", text[at : found.start()]))
        pieces.append(
            format_html(
                '<span class="math" data-display="{}" data-source="{}">{}</span>',
                "true" if display else "false",
                found.group(),
                latex.replace("\n", " "),
            )
        )
        at = found.end()
    pieces.append(format_html("{}", text[at:]))
    return mark_safe("".join(pieces))  # noqa: S308 # nosec # every piece comes out of format_html
