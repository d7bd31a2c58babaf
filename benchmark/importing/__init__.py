"""Files from outside: opened, surveyed, checked as a dry run, imported."""
