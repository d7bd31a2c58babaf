"""Slogans: statements in plain words by a model, asked for through the queue, and added to indexes."""
