"""Lemmas proved in numbered steps by one question."""
