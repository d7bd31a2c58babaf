"""What a release says of itself to the world: its description, Croissant metadata, files."""
