"""Talking to language models: client, prompt files, structured replies. Knows no Django."""
