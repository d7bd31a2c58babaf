"""How a release is published: its description, Croissant metadata, files."""
