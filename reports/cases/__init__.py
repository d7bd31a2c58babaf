"""Case studies: one instance, all systems side by side."""
