"""Analyses of a mechanism: assembly, mobility, checks, and the terms of the iteration matrix."""
