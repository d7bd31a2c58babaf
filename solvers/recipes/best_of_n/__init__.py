"""Independent proofs under one budget, chosen by verifiers: the baseline of equal cost."""
