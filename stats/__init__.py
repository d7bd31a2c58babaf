"""Estimators: intervals, agreement, audits, corrected scores, pairs, retrieval, sampling, votes.

Ground floor: plain values in, plain values out. Knows no Django and no database. scipy is imported
inside the functions that need it, so that importing a module here stays cheap.
"""
