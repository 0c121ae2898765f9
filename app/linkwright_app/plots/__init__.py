"""Plots of runs: convergence, energy, channels."""
