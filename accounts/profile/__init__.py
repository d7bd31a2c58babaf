"""The user's own account: name, domains, conflicts of interest, tokens, saved comments."""
