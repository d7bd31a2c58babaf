"""Publishing: what a finished run came to becomes a run of a system, through the import that all outputs take."""
