"""Gaps in proofs where another paper's tool is cited: what Re2Math is made of, step by step, without a model."""
