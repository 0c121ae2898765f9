"""From the document to numbers."""
