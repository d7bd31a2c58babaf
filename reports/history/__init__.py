"""The chain of history: sealed rows, whose hashes show any change of the past."""
