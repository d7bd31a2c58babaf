"""The audit of a judge by experts: the draw and its sizes, the results, and scores corrected by them."""
