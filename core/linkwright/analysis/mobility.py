"""Freedoms of a mechanism as drawn: by count and by rank, redundant conditions in words, and the free motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.coordinates import coordinates_of
from linkwright.compiler.model import CompiledModel, RowLabel
from linkwright.compiler.rank import ConstraintMatrix, constraint_matrix, independent_rows
from linkwright.compiler.topology import mobility_count
from linkwright.document.base import GROUND
from linkwright.document.mechanism import Mechanism
from linkwright.kernels.layout import NU, Floats

SHARE = 1e-6
"""A row takes part in a dependency when its coefficient is above this share of the largest one."""


@dataclass(frozen=True, slots=True)
class Redundancy:
    """One condition that others already impose.

    Attributes
    ----------
    row : RowLabel
        Joint and direction.
    imposed_by : tuple of str
        Joints whose rows add up to this one, in document order, its own joint left out.
    """

    row: RowLabel
    imposed_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mobility:
    """Freedoms of a mechanism at a pose.

    Attributes
    ----------
    dof_count : int
        Six per body minus one per condition (Gruebler, Kutzbach).
    dof_rank : int
        Six per body minus the rank of the constraint Jacobian: the true number at this pose.
    redundant : tuple of Redundancy
        Conditions that change nothing, as many as rank and count differ.
    phi : (n_row,)
        Residuals of all rows at this pose.
    free_motions : (dof_rank, n_body, 6)
        Orthonormal basis of the motions left: velocity of the mass centre in ground axes and angular velocity in body
        axes of every body.
    """

    dof_count: int
    dof_rank: int
    redundant: tuple[Redundancy, ...]
    phi: Floats
    free_motions: Floats

    def sentence(self, redundancy: Redundancy, mechanism: Mechanism) -> str:
        """Say in words what is redundant and who imposes it already."""
        joint = mechanism.element(redundancy.row.element).label
        axes = redundancy.row.axes
        of = "the ground" if axes == GROUND else mechanism.element(axes).label
        others = enumerated([mechanism.element(other).label for other in redundancy.imposed_by])
        already = f", already blocked by {others}" if others else ", which nothing in the mechanism allows"
        return f"{joint} also blocks {redundancy.row.direction} (axes of {of}){already}."


def enumerated(words: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def mobility(mechanism: Mechanism, model: CompiledModel | None = None) -> Mobility:
    """Count freedoms at the drawn pose.

    Parameters
    ----------
    mechanism : Mechanism
    model : CompiledModel, optional
        Its compiled model, if there is one already.

    Raises
    ------
    LinkwrightError
        When the mechanism cannot be turned into numbers.
    """
    model = compile_mechanism(mechanism) if model is None else model
    q, _ = coordinates_of(model, model.poses, model.twists)
    matrix = constraint_matrix(model, q)
    kept = independent_rows(model, matrix)
    rank = int(kept.sum())
    return Mobility(
        dof_count=mobility_count(model),
        dof_rank=NU * model.n_body - rank,
        redundant=_redundancies(model, matrix, kept),
        phi=matrix.phi,
        free_motions=_null_space(matrix.rows[kept], model.n_body),
    )


def _null_space(rows: Floats, n_body: int) -> Floats:
    """Orthonormal basis of the motions that independent rows leave : (n_free, n_body, 6)."""
    if len(rows) == 0:
        return np.eye(NU * n_body).reshape(-1, n_body, NU)
    full, _ = np.linalg.qr(rows.T, mode="complete")
    return full[:, len(rows) :].T.reshape(-1, n_body, NU)


def _redundancies(model: CompiledModel, matrix: ConstraintMatrix, kept: np.ndarray) -> tuple[Redundancy, ...]:
    dropped = np.flatnonzero(~kept)
    if len(dropped) == 0:
        return ()
    basis = matrix.rows[kept]
    labels = [model.row_labels[r] for r in np.flatnonzero(kept)]
    found = []
    for row in dropped:
        own = model.row_labels[row]
        share = np.zeros(len(basis))
        if len(basis):
            share = np.abs(np.linalg.lstsq(basis.T, matrix.rows[row], rcond=None)[0])
        taking_part = {
            labels[k].element for k in np.flatnonzero(share > SHARE * max(float(share.max(initial=0)), 1e-12))
        }
        joints = tuple(link.element for link in model.joints if link.element in taking_part - {own.element})
        found.append(Redundancy(own, joints))
    return tuple(found)
