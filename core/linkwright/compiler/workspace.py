"""Allocation of the arrays that the kernels of the implicit engine write to."""

from __future__ import annotations

import numpy as np

from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import GROUP, envelope_size
from linkwright.kernels.layout import (
    B_COLUMNS,
    B_E,
    B_ROT,
    LEDGER_COLUMNS,
    OUT_COLUMNS,
    P_COLUMNS,
    S_COLUMNS,
    Ledger,
    Motion,
    Pattern,
    Scratch,
)
from linkwright.kernels.linear import PER_GROUP

LARGEST_DENSE = 5000
"""Largest number of unknowns for a dense matrix: 200 MB, which the system hands out only when it is used."""


def make_motion(model: CompiledModel) -> Motion:
    """Coordinates, rates, accelerations and multipliers, all zero."""
    n = 7 * model.n_body
    return Motion(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(model.n_row + model.n_body))


def make_ledger(model: CompiledModel) -> Ledger:
    """Memory of the energy ledger."""
    return Ledger(
        np.zeros(LEDGER_COLUMNS), np.zeros((len(model.sda_ids), 3)), np.zeros((len(model.force_ids), 6))
    )


def make_scratch(model: CompiledModel, pattern: Pattern, max_solves: int) -> Scratch:
    """Room for one step; the row of the ground holds its fixed frame."""
    n = pattern.offset.size
    m = n + 2 * model.n_body
    body = np.zeros((model.n_body + 1, B_COLUMNS))
    body[-1, B_ROT : B_ROT + 9] = np.eye(3).ravel()
    body[-1, B_E] = 1.0
    n_row = model.n_row
    return Scratch(
        body=body,
        prim=np.zeros((model.tables.prim_int.shape[0], P_COLUMNS)),
        sda=np.zeros((len(model.sda_ids), S_COLUMNS)),
        phi=np.zeros(n_row),
        phi_d=np.zeros(n_row),
        phi_dd=np.zeros(n_row),
        matrix=np.zeros(envelope_size(pattern)),
        rhs=np.zeros(n),
        pivot=np.zeros(n // GROUP * PER_GROUP),
        dense=np.empty((m, m + 1) if m <= LARGEST_DENSE else (0, 0)),
        res=np.zeros(m),
        shifted=np.zeros(m),
        history=np.zeros(max_solves + 1),
        out=np.zeros(OUT_COLUMNS, np.int64),
    )
