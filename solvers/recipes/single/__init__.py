"""One proof by one question: the baseline of no decomposition and no memory."""
