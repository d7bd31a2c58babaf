"""People: users, roles, invitations, expertise, conflicts, and the audit trail that every app writes to."""
