"""The desktop window of Linkwright."""
