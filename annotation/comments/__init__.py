"""The comment bank: one's own comments, and those that staff share in a campaign."""
