"""Search: corpora of published statements, indexes over them, and finding a statement by page, REST and command."""
