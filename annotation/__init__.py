"""Experts: campaigns, sampling, assignment, blinding, drafts and grades."""
