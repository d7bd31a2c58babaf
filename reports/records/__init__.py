"""Public records: a frozen score published as pages and files that anybody may read, in versions that never change."""
