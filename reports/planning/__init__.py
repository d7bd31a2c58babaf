"""How many audits, comparisons or items a question needs: planner pages and REST."""
