"""From the document to numbers: flat tables, index maps, ordering of the unknowns."""
