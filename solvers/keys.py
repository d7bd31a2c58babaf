"""The name by which a model server recognises that it was asked the same before."""

import hashlib


def idempotency_key(solver_sha256: str, seed: int, instance: str, attempt: int, step: str) -> str:
    """The same for every try of a step, and different for every other one: attempts never share replies."""
    said = "\0".join([solver_sha256, str(seed), instance, str(attempt), step])
    return hashlib.sha256(said.encode()).hexdigest()
