"""The identity scan: what in an output's text reveals its author, found at import and before anyone grades it blind."""
