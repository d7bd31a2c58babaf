"""Knowledge banks and block lists: added as files, in versions that never change."""
