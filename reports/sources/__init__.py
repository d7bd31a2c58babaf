"""The sources that outputs selected."""
