"""The last gate: an allow-list over HTML that was already escaped when it was written."""

import nh3

_TAGS = {
    "p", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "b", "i", "u", "s", "code", "pre", "kbd",
    "sub", "sup", "small", "br", "hr", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "table", "thead", "tbody",
    "tr", "th", "td", "figure", "figcaption", "a", "cite", "q", "mark",
}  # fmt: skip

CLASSES = frozenset(
    """math math-source display thm thm-plain thm-definition thm-remark thm-head thm-title thm-body proof proof-head
    qed qed-line box box-title abstract abstract-head doc-title subtitle sec-number labelled item-label item-body
    footnote footnote-mark footnote-number footnote-back caption caption-label image-name citation reference
    unresolved bibliography bib-label bib-body
    smallcaps typewriter sans slanted underline overline strike center right left justify c r l line-above line-below
    table-scroll verbatim source source-note source-name quote verse description term algorithm alg-line keyword
    note boxed run-in cont figure tabular marginal task task-done tag""".split()
)

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
