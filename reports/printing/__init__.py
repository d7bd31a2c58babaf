"""Printing to PDF: pages by WeasyPrint, formulas placed by latex.typeset, long documents in joined chunks."""
