"""Training: items with a gold answer, done once before grading."""
