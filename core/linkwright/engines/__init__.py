"""Engines: each turns a state at t into a state at t + h, many steps in one compiled call."""
