"""Prompts in somebody's own words: uploaded, versioned, never changed, and chosen for a judge."""
