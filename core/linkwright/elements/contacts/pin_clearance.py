"""Pin with clearance: the revolute clearance joint."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Scalar
from linkwright.elements.contacts.gaps import Gap
from linkwright.elements.contacts.law import PairContact
from linkwright.elements.registry import About


class PinClearance(PairContact):
    """A pin about z of i inside a bore about z of j that is a little wider.

    With a length the pin touches at both ends of the bore, so that it may tilt in space.
    """

    type: Literal["pin-clearance"] = "pin-clearance"
    about: ClassVar[About] = About(
        "Pin with clearance",
        "pin-clearance",
        "A pin in a bore that is a little wider: it rattles, rolls and slips.",
        "P",
    )

    radius: Annotated[
        Scalar,
        FieldSpec(
            "Bore radius", unit="m", group="Pin", help="Of the bore of side j.", low=0.0, open_low=True
        ),
    ]
    clearance: Annotated[
        Scalar,
        FieldSpec(
            "Clearance", unit="m", group="Pin", help="Radius of the bore less that of the pin.", low=0.0
        ),
    ]
    length: Annotated[
        Scalar,
        FieldSpec(
            "Bore length",
            unit="m",
            group="Pin",
            help="0 for contact in the middle plane alone.",
            low=0.0,
            advanced=True,
        ),
    ] = 0.0

    def groups(self) -> tuple[str, ...]:
        """One strip, or one per end of the bore."""
        return ("",) if self._flat() else ("end_1", "end_2")

    def _flat(self) -> bool:
        return self.length == 0.0

    def gaps(self) -> tuple[Gap, ...]:
        """One circle in another, or two."""
        bore = float(self.radius)
        pin = bore - float(self.clearance)
        half = 0.5 * float(self.length)
        heights = (0.0,) if self._flat() else (-half, half)
        return tuple(
            Gap("bore", at=(0.0, 0.0, z), origin=(0.0, 0.0, z), radius_i=pin, radius_j=bore, group=group)
            for group, z in enumerate(heights)
        )
