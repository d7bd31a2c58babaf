"""The comment bank: a reviewer's own comments, and those that staff share in a campaign."""
