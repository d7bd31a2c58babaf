"""Asking one question: the prompt, the call, and what the reply says."""
