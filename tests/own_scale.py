"""A rubric in a coordinator's own words, as a file; nothing in the product knows these words."""

LEVELS = """
[[rubric]]
name = "referee"
version = 1
kind = "grade"
title = "Referee's recommendation"

[[rubric.questions]]
key = "recommendation"
text = "What do you recommend?"
help = "As for a journal."

[rubric.questions.scale]
level = "ordinal"
values = ["flawless", "minor", "major", "reject"]
success = ["flawless", "minor"]

[rubric.questions.anchors]
flawless = "nothing to change"
minor = "typographical changes only"
major = "a gap that its author could close"
reject = "wrong beyond repair"

[[rubric.questions]]
key = "remarks"
text = "Anything else?"
scale = "text"
required = false
"""
