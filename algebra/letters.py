"""The letters and unknown functions of a formula, by name."""

from algebra.tree import Formula, nodes


def letters(formula: Formula) -> frozenset[str]:
    """Names as in LaTeX, subscripts in braces: "x", "\\alpha", "a_{1}"; bound variables are among them."""
    return frozenset(
        node.name for node in nodes(formula) if node.kind in ("symbol", "apply", "maybe") and node.name
    )
