"""Sources as authors submit them: an archive read in memory, and which of its files is the paper."""
