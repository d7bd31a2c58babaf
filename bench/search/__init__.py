"""How well search finds: queries with known answers, made from published texts each time (python -m bench.search)."""
