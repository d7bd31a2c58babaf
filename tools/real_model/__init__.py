"""`make real-model`: questions of every recipe to a real, very small language model on this machine (ADR 0064)."""
