"""Corpora: imported, exported and frozen; whose statements may be shown to whom."""
