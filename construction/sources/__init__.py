"""Sources of papers: archives kept byte for byte, and what is known of each."""
