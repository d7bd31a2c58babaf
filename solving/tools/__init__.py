"""Tools of recipes: searching and opening sources of a frozen artifact, a knowledge bank, calculating, checking LaTeX."""
