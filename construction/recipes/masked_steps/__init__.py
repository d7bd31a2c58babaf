"""Proofs with one formula masked: what Mask-Proof is made of, step by step, without a model."""
