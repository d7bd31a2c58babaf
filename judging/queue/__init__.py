"""The queue of record: claims, leases, budgets, pace, breakers, and the workers that serve it."""
