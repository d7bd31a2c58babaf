"""What the database itself guards: triggers, the blind role, poolers, joins of the hot paths."""
