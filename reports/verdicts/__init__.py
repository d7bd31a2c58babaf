"""A judge's verdicts copied to a campaign, for reviewers to see after their own answers are locked."""
