"""Template filters of reports."""
