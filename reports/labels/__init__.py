"""The label table: rows, filters, reading and writing, page and downloads."""
