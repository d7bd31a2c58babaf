"""LLM judges: runs, the queue of record, calls and verdicts."""
