"""Questions that only a person can answer: whether what an output found is what it was to find."""
