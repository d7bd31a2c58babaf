"""Label tables as they come from outside: read, checked, grouped, made into ratings and pairs."""
