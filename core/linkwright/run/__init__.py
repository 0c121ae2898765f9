"""Runs: the solver thread, what it records, and the finished results."""
