"""The queue of record: leased tasks, claims, retries, budgets, pace, breakers, and the workers that serve all of it."""
