"""What every room of reports uses: which release, track, condition and judge; rows as values; cells and wording."""
