"""Attached files: PDFs and images, cleaned by a child process, stored, delivered without a trace of their origin."""
