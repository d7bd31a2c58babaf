"""How far another release of the same protocol reproduces this one."""
