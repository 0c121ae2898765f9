"""Element types: one description each, found by kind and type tag. Importing this package registers them all."""

from linkwright.elements import contacts, forces, joints

__all__ = ["contacts", "forces", "joints"]
