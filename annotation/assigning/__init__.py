"""Who gets which item: planned by the coordinator or pulled one by one, given up, released."""
