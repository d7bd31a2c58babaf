"""What a LaTeX source says: its files joined, statements with their proofs, references, macros expanded."""
