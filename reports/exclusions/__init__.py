"""Exclusion rules: which instances leave a score when reviewers object to them, and what that changes."""
