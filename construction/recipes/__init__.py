"""One folder for each way to mine instances: pure steps over the outline of a source, each drop with its code."""
