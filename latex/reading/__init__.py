"""Reading a LaTeX document from front to back, once."""
