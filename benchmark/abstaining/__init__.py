"""Answers that the staff count as abstained: marked with a reason, withdrawn while nothing rests on it."""
