"""Compiled kernels: numbers in, numbers out. They import only each other, numpy and numba."""
