"""A judge audited by experts, and scores corrected by the audit."""
