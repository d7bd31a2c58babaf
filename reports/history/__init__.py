"""The chain of history: sealed rows whose hashes reveal later changes."""
