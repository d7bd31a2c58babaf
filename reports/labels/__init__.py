"""The label table: rows, filters, reading and writing, its page and its downloads."""
