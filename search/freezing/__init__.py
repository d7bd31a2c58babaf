"""Retrieval for runs of models: frozen artifacts that anybody can execute again, and runs of our own search."""
