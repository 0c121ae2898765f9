"""Model files on disk."""
