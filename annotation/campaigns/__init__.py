"""Campaigns from draft to closed: set up step by step, drawn, opened, reminded, closed."""
