"""A sixth protocol: `closed_forms` is a protocol's folder that the project itself does not have."""
