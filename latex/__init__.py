"""LaTeX and Markdown documents: macros, blocks with stable ids, safe HTML. Knows no Django."""
