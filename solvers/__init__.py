"""Solvers: recipes that say what to ask next, as pure functions of what was recorded. Knows no Django, does no I/O."""
