"""Secrets that are handed out once: the person gets the text, the database keeps its SHA-256."""

import hashlib
import secrets


def new_secret() -> str:
    """256 random bits in 43 URL-safe characters."""
    return secrets.token_urlsafe(32)


def secret_hash(secret: str) -> str:
    """SHA-256 in hex. The secrets are random, so that a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()
