"""Pages and downloads of scores, for those who run the study."""
