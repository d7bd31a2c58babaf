"""The audit of a judge by experts, and scores corrected by it."""
