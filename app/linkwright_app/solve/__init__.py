"""Starting runs and the parts of the iteration matrix."""
