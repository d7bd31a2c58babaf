"""Formulas of safe HTML as MathML, which browsers show without any script, style sheet or font. Pure."""

import re
from functools import lru_cache
from html import escape, unescape

from latex import FormulaError, to_math_html

# as latex/formulas/find.py and the titles write them
_FORMULA = re.compile(
    r'<(span|div) class="math" data-display="(true|false)" data-source="([^"]*)">(.*?)</\1>', re.DOTALL
)
_MATH = re.compile(r"<math.*</math>", re.DOTALL)
LONG = 30  # characters of LaTeX from which on a formula may be wider than a phone
_STYLE = re.compile(r' style="[^"]*"')  # the content security policy would refuse them


def with_mathml(html: str) -> str:
    """The same with every formula as MathML; one that KaTeX refuses is shown as its source."""
    return _FORMULA.sub(
        lambda found: _formula(unescape(found[4]), found[2] == "true", found[1], found[3]), html
    )


@lru_cache(maxsize=20_000)
def _formula(latex: str, display: bool, tag: str, source: str) -> str:
    try:
        found = _MATH.search(to_math_html(latex, display, output="mathml"))
    except FormulaError:
        found = None
    if found is None:
        return f'<code class="math-source">{escape(unescape(source))}</code>'
    shown = _STYLE.sub("", found[0])
    if tag == "span" and len(latex) > LONG:  # browsers break no line within MathML, so it scrolls on a phone
        return f'<span class="long-formula" tabindex="0" role="group" aria-label="Formula">{shown}</span>'
    if tag == "span":
        return shown
    return f'<div class="display" tabindex="0" role="region" aria-label="Formula">{shown}</div>'
