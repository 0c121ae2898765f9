"""The window: theme, actions, layouts, and the main window that puts the widgets together."""
