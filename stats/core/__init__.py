"""What all estimators use: estimates, intervals, resampling, scales, strata, rounding."""
