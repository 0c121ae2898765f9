"""Contacts of the document as rows of the contact table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from linkwright.compiler.model import ContactTables
from linkwright.document.mechanism import Mechanism
from linkwright.elements.contacts.gaps import Gap, Kind
from linkwright.elements.contacts.law import ContactLaw
from linkwright.errors import CompileError, DocumentError
from linkwright.kernels.layout import Floats
from linkwright.kernels.lcp import layout
from linkwright.kernels.lcp.boxes import CORNERS

KINDS: dict[Kind, int] = {
    "plane": layout.PLANE,
    "strip": layout.STRIP,
    "balls": layout.BALLS,
    "socket": layout.SOCKET,
    "bore": layout.BORE,
    "angle": layout.ANGLE,
    "ball-box": layout.BALL_BOX,
    "box-box": layout.BOX_BOX,
}


class End(Protocol):
    """One end of an element, as `compiler.compile.End`."""

    @property
    def body(self) -> int:
        """Index of the body; the ground is `n_body`."""
        ...

    @property
    def point(self) -> Floats:
        """Origin seen from the mass centre, body axes [m]."""
        ...

    @property
    def axes(self) -> Floats:
        """Axes of the frame as columns, body axes."""
        ...


def contact_tables(mechanism: Mechanism, end: Callable[[str], End]) -> ContactTables:
    """Spell out all contacts of an evaluated mechanism in primitive gaps.

    Parameters
    ----------
    mechanism : Mechanism
        Evaluated.
    end : callable
        Gives the end a reference stands for.

    Raises
    ------
    CompileError
        When a contact refers to something it cannot touch, or touches its own body.
    """
    strips: list[tuple[str, str]] = []
    ints: list[tuple[int, int, int, int]] = []
    reals: list[Floats] = []
    for contact in mechanism.contacts:
        assert isinstance(contact, ContactLaw)
        try:
            ref_i, ref_j = contact.ends(mechanism)
        except DocumentError as error:
            raise CompileError(error.message, error.element) from error
        i, j = end(ref_i), end(ref_j)
        if i.body == j.body:
            raise CompileError(
                f"Both sides of contact {contact.label!r} are on the same body. Put one of them on another body.",
                contact.id,
            )
        first = len(strips)
        strips.extend((contact.id, name) for name in contact.groups())
        for gap in contact.gaps():
            numbers = _numbers(contact, gap, i, j)
            ints.append((KINDS[gap.kind], i.body, j.body, first + gap.group))
            reals.append(numbers)
            if gap.kind == "box-box":
                ints.extend([(layout.FOLLOWER, i.body, j.body, first + gap.group)] * (CORNERS - 1))
                reals.extend([numbers] * (CORNERS - 1))
    point_int = np.array(ints, np.int64).reshape(-1, layout.P_INT)
    point_real = np.array(reals, float).reshape(-1, layout.P_REAL)
    point_int.setflags(write=False)
    point_real.setflags(write=False)
    return ContactTables(tuple(strips), point_int, point_real)


def _numbers(contact: ContactLaw, gap: Gap, i: End, j: End) -> Floats:
    """Float row of one gap."""
    real = np.zeros(layout.P_REAL)
    angle = gap.kind == "angle"
    real[layout.P_UI : layout.P_UI + 3] = i.axes @ gap.at + (0.0 if angle else i.point)
    real[layout.P_UJ : layout.P_UJ + 3] = j.axes @ gap.origin + (0.0 if angle else j.point)
    real[layout.P_N : layout.P_N + 3] = j.axes @ gap.normal
    real[layout.P_T : layout.P_T + 3] = j.axes @ gap.tangent
    real[layout.P_RI] = gap.radius_i
    real[layout.P_RJ] = gap.radius_j
    real[layout.P_SIZE : layout.P_SIZE + 3] = gap.size
    real[layout.P_SIZE_I : layout.P_SIZE_I + 3] = gap.size_i
    real[layout.P_N_I : layout.P_N_I + 3] = i.axes[:, 2]
    real[layout.P_T_I : layout.P_T_I + 3] = i.axes[:, 0]
    friction = float(contact.friction)
    static = friction if contact.static_friction is None else float(contact.static_friction)
    if gap.kind != "angle":
        real[layout.P_MU] = friction
        real[layout.P_MU_STATIC] = max(friction, static)
    real[layout.P_EN] = float(contact.restitution)
    real[layout.P_ET] = float(contact.tangential_restitution)
    real[layout.P_BELT : layout.P_BELT + 2] = contact.belt()
    real[layout.P_SLOW] = float(contact.rebound_speed)
    return real
