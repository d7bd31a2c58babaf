"""Which rubrics campaigns can ask by, and importing a rubric file."""
