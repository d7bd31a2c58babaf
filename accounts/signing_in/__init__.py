"""Signing in: by invitation only, with a second factor, from known browsers."""
