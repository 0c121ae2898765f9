"""The properties form, made from the fields of the selected element."""
