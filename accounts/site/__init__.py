"""What every page shares: middleware, navigation, scripts, mail."""
