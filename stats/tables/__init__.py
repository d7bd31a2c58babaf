"""Label tables from outside: read, checked, grouped, turned into ratings and pairs."""
