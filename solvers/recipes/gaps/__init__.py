"""Gaps in proofs closed from the literature: plan, query, choose one of twenty, read one source."""
