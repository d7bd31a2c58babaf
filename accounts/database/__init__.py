"""What the database itself guards: triggers, the blind role, poolers, prepared statements."""
