"""A proof that is verified and rewritten until it is called sound several times in a row."""
