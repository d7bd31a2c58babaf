"""Equivalence of two LaTeX formulas by computer algebra: yes, no or unknown, never a guess. Knows no Django.

compare(r"\\frac{n(n+1)}{2}", r"\\tfrac12 n^2 + \\tfrac n2")   # Comparison(value="yes", ...)

docs/algebra.md has the limits and rules.
"""

from algebra.comparing import Comparison, compare
from algebra.letters import letters
from algebra.probing import Kind
from algebra.reader import read
from algebra.tokens import NotUnderstood

__all__ = ["Comparison", "Kind", "NotUnderstood", "compare", "letters", "read"]
