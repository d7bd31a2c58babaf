"""What people have: a folder, an archive or a table is recognised, mapped to problems and outputs, and imported."""
