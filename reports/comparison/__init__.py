"""Systems side by side on the same items, and two at a time."""
