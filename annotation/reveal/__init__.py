"""A judge's verdict shown after the answer is locked: its claims, marks and amendments."""
