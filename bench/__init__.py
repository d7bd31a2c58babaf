"""Measurements of speed and memory; `python -m bench` prints them (docs/performance.md)."""
