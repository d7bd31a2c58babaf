"""Which rubrics campaigns can use, and importing a rubric file."""
