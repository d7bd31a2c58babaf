"""Outputs as other tools write them, recognised and read as rows of a table: one module for each format."""
