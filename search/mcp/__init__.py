"""Searching from programs that speak the Model Context Protocol: over HTTP, and by standard input and output."""
