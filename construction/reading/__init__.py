"""A source is read in a process of its own, which ends when it needs too much time or memory."""
