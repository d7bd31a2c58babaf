"""Labels to datasets, scores, pages, exports and frozen score artifacts. Alone sees both kinds of rater."""
