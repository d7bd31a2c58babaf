"""Outputs that may reveal who wrote them: hidden from blinded people until a coordinator decides."""
