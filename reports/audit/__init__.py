"""A judge audited by experts: the draw and its sizes, the results, and scores corrected by them."""
