"""Judge versions and runs: asked for, steered, counted, combined."""
