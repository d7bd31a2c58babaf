"""Members, their roles, invitations, and erasing an account."""
