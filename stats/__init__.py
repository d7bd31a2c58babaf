"""Estimators: intervals, agreement, corrected scores, pairwise comparison, retrieval. Knows no Django."""
