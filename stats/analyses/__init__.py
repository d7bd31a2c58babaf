"""Label tables in, JSON documents out: what `manage.py analyse` prints."""
