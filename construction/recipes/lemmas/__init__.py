"""Lemmas with the definitions and assumptions they need: what LemmaBench is made of, step by step, without a model."""
