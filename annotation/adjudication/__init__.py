"""Where graders differ: the final value of a question, and the unblinding of a closed campaign."""
