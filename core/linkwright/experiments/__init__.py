"""Experiments: series of runs that draw a figure of the sources; each is computed anew, none reads stored results."""
