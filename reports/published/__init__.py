"""Published figures: what papers printed, next to what our estimators give for the same inputs."""
