"""Releases with their instances and outputs: imported, shown, frozen, checked."""
