"""The last gate: an allow-list over HTML that was already escaped when it was written."""

import nh3

from latex.vocabulary import words

_TAGS = {
    "p", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "b", "i", "u", "s", "code", "pre", "kbd",
    "sub", "sup", "small", "br", "hr", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "table", "thead", "tbody",
    "tr", "th", "td", "figure", "figcaption", "a", "cite", "q", "mark", "details", "summary",
}  # fmt: skip

CLASSES = words("classes")
_COMMON = {"id"}
_ATTRIBUTES = {
    "*": _COMMON,
    "a": {"href", "title"},
    "span": {"data-display", "data-source", "title"},
    "div": {"data-display", "data-source", "title"},
    "code": {"title"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "type"},
    "li": {"value"},
}
_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    allowed_classes={tag: set(CLASSES) for tag in _TAGS},
    url_schemes={"http", "https", "mailto"},
    link_rel="nofollow noopener noreferrer",
    strip_comments=True,
    generic_attribute_prefixes=None,
)


def clean(html: str) -> str:
    """HTML with allowed elements, attributes, classes and link schemes only."""
    return str(_CLEANER.clean(html))
