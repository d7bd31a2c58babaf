"""The hub of a study: its eight steps, the next thing to do, what needs attention, what happened last."""
