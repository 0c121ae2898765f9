"""Looking at finished runs: the time slider."""
