"""Contact problems: their layout, their solvers, and the one function that judges every answer."""
