"""Tools of recipes: searching and opening frozen sources, a knowledge bank, calculating, checking LaTeX."""
