"""Results of a study, answer first: who solved what, how sure that is, and where people disagree."""
