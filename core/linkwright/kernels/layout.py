"""Integer codes and column numbers of the tables, shared by the compiler, the engines and the kernels.

Every element kind has one integer and one float table with one row per element. The ground is the body with the index
`n_body`: its row of the scratch table holds a fixed frame, so kernels need no branch to read it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Unsigned = NDArray[np.uint64]

# --- coordinates ------------------------------------------------------------------------------------------------------
NQ: Final = 7
"""Coordinates of a body: mass centre R (3), Euler parameters e (4, scalar first)."""
NU: Final = 6
"""Unknowns of a body in the linear system: mass centre (3), turn w (3) with de = G(e)^T w + e s."""

# --- body table -------------------------------------------------------------------------------------------------------
BODY_MASS: Final = 0
BODY_J: Final = 1  # xx, yy, zz, xy, xz, yz about the mass centre
BODY_ORIGIN: Final = 7  # origin of the body frame seen from the mass centre, body axes
BODY_REAL: Final = 10

# --- primitive constraints --------------------------------------------------------------------------------------------
POINT: Final = 0  # three rows: r_i - r_j
DOT1: Final = 1  # one row: (A_i a) . (A_j b)
DOT2: Final = 2  # one row: (A_j b) . (r_i - r_j)
DISTANCE: Final = 3  # one row: (d . d - L^2) / (2 L), d = r_i - r_j

PRIM_CODE: Final = 0
PRIM_I: Final = 1  # index of body i
PRIM_J: Final = 2
PRIM_ROW: Final = 3  # first constraint row
PRIM_INT: Final = 4

PRIM_UI: Final = 0  # point of body i (POINT, DOT2, DISTANCE) or axis a (DOT1), body axes
PRIM_UJ: Final = 3  # point of body j or axis b (DOT1)
PRIM_AXIS: Final = 6  # axis b of body j (DOT2)
PRIM_LENGTH: Final = 9  # length L (DISTANCE)
PRIM_REAL: Final = 10

# --- spring-damper-actuators ------------------------------------------------------------------------------------------
SDA_I: Final = 0
SDA_J: Final = 1
SDA_TENSION_ONLY: Final = 2
SDA_INT: Final = 3

SDA_UI: Final = 0
SDA_UJ: Final = 3
SDA_K: Final = 6
SDA_C: Final = 7
SDA_FREE: Final = 8
SDA_ACTUATOR: Final = 9
SDA_REAL: Final = 10

# --- applied loads ----------------------------------------------------------------------------------------------------
LOAD_BODY: Final = 0
LOAD_IN_BODY: Final = 1  # 1: the vector turns with the body
LOAD_INT: Final = 2

LOAD_VECTOR: Final = 0
LOAD_POINT: Final = 3  # point of attack (force), body axes
LOAD_REAL: Final = 6

# --- scratch row of a body --------------------------------------------------------------------------------------------
B_ROT: Final = 0  # A(e), row by row
B_RATE: Final = 9  # dA/dt
B_R: Final = 18
B_E: Final = 21
B_V: Final = 25
B_ED: Final = 28
B_W: Final = 32  # sum of (force) (point)^T over constraints and applied forces, left-hand side
B_WS: Final = 41  # the same over the SDA
B_RES: Final = 50  # residual of the seven equations of motion
B_TAU: Final = 57  # applied torque in ground axes
B_TAUB: Final = 60  # applied torque in body axes
B_NORM: Final = 63  # e . e - 1
B_S: Final = 64  # part of the step along e, e . de
B_TE: Final = 65  # (own tangent block)^T e
B_EROW: Final = 69  # left-hand side of the equation along e, collected after the solve
B_DR: Final = 70  # step of R
B_DE: Final = 73  # step of e
B_COLUMNS: Final = 80

# --- scratch row of an SDA --------------------------------------------------------------------------------------------
S_N: Final = 0  # unit vector from i to j
S_LENGTH: Final = 3
S_RATE: Final = 4
S_FORCE: Final = 5
S_SPRING: Final = 6
S_DAMPER: Final = 7
S_ACTUATOR: Final = 8
S_SLACK: Final = 9
S_HD: Final = 10  # relative velocity of the ends
S_PI: Final = 13  # A_i u_i
S_PJ: Final = 16
S_COLUMNS: Final = 20

# --- scratch row of a primitive ---------------------------------------------------------------------------------------
P_A: Final = 0  # A_i a, or A_i u_i
P_B: Final = 3  # A_j b, or A_j u_j
P_AXIS: Final = 6  # A_j axis
P_D: Final = 9  # r_i - r_j
P_COLUMNS: Final = 12

# --- envelope ---------------------------------------------------------------------------------------------------------
BAND_FIRST: Final = 0
BAND_STOP: Final = 1
BAND_OFFSET: Final = 2

# --- options ----------------------------------------------------------------------------------------------------------
OPT_H: Final = 0
OPT_BETA: Final = 1
OPT_GAMMA: Final = 2
OPT_TOL_ABS: Final = 3
OPT_TOL_REL: Final = 4
OPT_REAL: Final = 5

OPT_MAX_SOLVES: Final = 0
OPT_TERMS: Final = 1
OPT_PROJECT: Final = 2
OPT_STRIDE: Final = 3  # steps between two recorded frames
OPT_INT: Final = 4

# Terms of the iteration matrix. M1 is the first three; a test may leave any of them out.
TERM_VELOCITY: Final = 1  # dQv/dq, dQv/dq'
TERM_INERTIA: Final = 2  # d(M q'')/dq
TERM_REACTION: Final = 4  # d(Phi_q^T lambda)/dq, and the applied loads
TERM_SDA_Q: Final = 8  # M2
TERM_SDA_V: Final = 16  # M3
TERM_DIFFERENCE: Final = 32  # the whole matrix by finite differences
TERMS_M1: Final = TERM_VELOCITY | TERM_INERTIA | TERM_REACTION

# --- clock and ledger of a state --------------------------------------------------------------------------------------
CLOCK_T: Final = 0
CLOCK_BASE: Final = 1  # time at which the present step size began
CLOCK_STEPS: Final = 2  # steps since then
CLOCK_TOTAL: Final = 3  # steps since the start
CLOCK_COLUMNS: Final = 4

LEDGER_FORCE_WORK: Final = 0
LEDGER_DAMPER_LOSS: Final = 1
LEDGER_ACTUATOR_WORK: Final = 2
LEDGER_START: Final = 3  # total energy at the start
LEDGER_COLUMNS: Final = 4

# --- outcome of a step ------------------------------------------------------------------------------------------------
STEP_DONE: Final = 0
STEP_NOT_CONVERGED: Final = 1
STEP_DIVERGED: Final = 2
STEP_NOT_FINITE: Final = 3
STEP_SINGULAR: Final = 4
STEP_NO_LENGTH: Final = 5  # the ends of an SDA coincide

OUT_STATUS: Final = 0
OUT_EVALUATIONS: Final = 1
OUT_SOLVES: Final = 2
OUT_PIVOTS: Final = 3  # factorisations that needed a pivot search
OUT_WORST: Final = 4  # equation with the largest residual, see `equation_of`
OUT_ELEMENT: Final = 5  # SDA without length
OUT_COLUMNS: Final = 6

# --- columns of a recorded step ---------------------------------------------------------------------------------------
STEP_T: Final = 0
STEP_H: Final = 1
STEP_EVALUATIONS: Final = 2
STEP_SOLVES: Final = 3
STEP_RESIDUAL_START: Final = 4
STEP_RESIDUAL_COUNT: Final = 5
STEP_RETRIES: Final = 6
STEP_POSITION_ERROR: Final = 7
STEP_VELOCITY_ERROR: Final = 8
STEP_ACCELERATION_ERROR: Final = 9
STEP_WORST_ROW: Final = 10
STEP_CONTACTS: Final = 11
STEP_PIVOTS: Final = 12

# --- channels ---------------------------------------------------------------------------------------------------------
CH_KINETIC: Final = 0
CH_GRAVITY: Final = 1
CH_SPRINGS: Final = 2
CH_TOTAL: Final = 3
CH_FORCE_WORK: Final = 4
CH_DAMPER_LOSS: Final = 5
CH_ACTUATOR_WORK: Final = 6
CH_BALANCE: Final = 7
CH_POSITION: Final = 8
CH_VELOCITY: Final = 9
CH_SDA: Final = 10  # from here four channels per SDA
CH_PER_SDA: Final = 4  # length, rate, force, spring force


class Tables(NamedTuple):
    """The mechanism in numbers; all arrays C-contiguous and read-only, SI units.

    Attributes
    ----------
    body : (n_body, BODY_REAL)
    prim_int, prim_real : (n_prim, PRIM_INT), (n_prim, PRIM_REAL)
    sda_int, sda_real : (n_sda, SDA_INT), (n_sda, SDA_REAL)
    force_int, force_real : (n_force, LOAD_INT), (n_force, LOAD_REAL)
    torque_int, torque_real : (n_torque, LOAD_INT), (n_torque, LOAD_REAL)
    gravity : (3,) ground axes
    """

    body: Floats
    prim_int: Ints
    prim_real: Floats
    sda_int: Ints
    sda_real: Floats
    force_int: Ints
    force_real: Floats
    torque_int: Ints
    torque_real: Floats
    gravity: Floats


class Pattern(NamedTuple):
    """Where each unknown stands in the linear system, and the envelope of its matrix.

    The system has n rows, a multiple of four; rows that stand for no unknown have a one on the diagonal.

    Attributes
    ----------
    body_adr : (n_body + 1,) first of the six unknowns of a body; -1 for the ground
    row_adr : (n_row,) unknown of a constraint row; -1 for a row that is left out as redundant
    offset : (n,) entry (r, c) of the matrix is stored at offset[r] + c
    band : (n, 3) first column, one past the last column, offset of each row, fill-in included, in groups of four
    idle : rows that stand for no unknown
    """

    body_adr: Ints
    row_adr: Ints
    offset: Ints
    band: Unsigned
    idle: Ints


class Motion(NamedTuple):
    """Coordinates, rates, accelerations and multipliers; written by kernels.

    Attributes
    ----------
    q, v, a : (7 n_body,)
    lam : (n_row + n_body,) rows of the primitives, then the normalisation e . e = 1 of each body
    """

    q: Floats
    v: Floats
    a: Floats
    lam: Floats


class Scratch(NamedTuple):
    """Room for one step; nothing in it outlives a step.

    Attributes
    ----------
    body : (n_body + 1, B_COLUMNS)
    prim : (n_prim, P_COLUMNS)
    sda : (n_sda, S_COLUMNS)
    phi, phi_d, phi_dd : (n_row,) constraint residuals and their first and second rates
    matrix : (size of the envelope,)
    rhs : (n,) right-hand side, then solution
    pivot : (10 n / 4,) inverses of the upper triangles of the factors
    dense : (m, m + 1) for pivot search and finite differences, m = n + 2 n_body; empty where that is too large
    res, shifted : (m,) residuals at the point where differences are taken and beside it
    history : (max solves + 1,) 2-norms of the residual
    out : (OUT_COLUMNS,) outcome of a step
    """

    body: Floats
    prim: Floats
    sda: Floats
    phi: Floats
    phi_d: Floats
    phi_dd: Floats
    matrix: Floats
    rhs: Floats
    pivot: Floats
    dense: Floats
    res: Floats
    shifted: Floats
    history: Floats
    out: Ints


class Ledger(NamedTuple):
    """What the energy ledger remembers from the last good step.

    Attributes
    ----------
    sums : (LEDGER_COLUMNS,) [J]
    sda : (n_sda, 3) length, damper force, actuator force
    force : (n_force, 6) point of attack and force in ground axes
    """

    sums: Floats
    sda: Floats
    force: Floats


class Rows(NamedTuple):
    """Arrays of a recorder block; see `linkwright.engines.state.RowBlock`."""

    steps: Floats
    residuals: Floats
    frame_t: Floats
    poses: Floats
    twists: Floats
    channels: Floats
    counts: Ints
