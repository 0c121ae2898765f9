"""What the user drew: frozen descriptions with names and units, no numerics of motion."""
