"""State and work of the window without any widget: document, selection, runs, checks."""
