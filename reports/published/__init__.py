"""Published figures, recomputed: facts of benchmark/published.py beside what our estimators give."""
