"""A made-up next version of the platform: one column more, expanded, filled and contracted while people grade."""
