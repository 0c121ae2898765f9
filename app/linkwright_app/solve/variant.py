"""Names of the variants of the iteration matrix: M1 with or without the spring terms M2 and M3."""

from __future__ import annotations

#: The baseline that takes the whole matrix by finite differences.
DIFFERENCE = "difference"


def variant_name(m2: bool, m3: bool) -> str:
    """Name of the variant with these terms, as the options of the engine spell it."""
    return "M1" + ("+M2" if m2 else "") + ("+M3" if m3 else "")


def variant_terms(name: str) -> tuple[bool, bool] | None:
    """Whether M2 and M3 are in the matrix; None for the matrix by finite differences."""
    if name == DIFFERENCE:
        return None
    terms = name.split("+")
    return "M2" in terms, "M3" in terms
