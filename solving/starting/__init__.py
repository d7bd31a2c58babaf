"""Beginning a run: the order, an estimate of what it takes, and the first questions to read."""
