"""Results of a campaign without systems: agreement, reliability, monitoring, calibration, blinding."""
