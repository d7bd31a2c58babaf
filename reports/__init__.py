"""From labels to datasets, scores, pages, exports and frozen artifacts. The only app that sees both kinds of rater."""
