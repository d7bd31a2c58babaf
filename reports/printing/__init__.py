"""Printing to PDF: pages by WeasyPrint, formulas placed by latex.formulas.typeset, long documents in joined chunks."""
