"""Reading an attempt: its transcript, step by step."""
