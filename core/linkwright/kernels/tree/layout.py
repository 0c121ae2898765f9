"""Codes and column numbers of the tree tables.

Row 0 of every table is the ground; row i >= 1 is body i, numbered so that a parent comes before its children. Behind
the bodies stand further rows that some bodies own: one to collect the blocks of several children (`T_COLLECT`), and for
a joint that is treated column by column one for its block, then one per freedom (`T_FIRST`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from linkwright.kernels.layout import Floats, Ints, Tables

# --- joints -----------------------------------------------------------------------------------------------------------
FIXED: Final = 0
REVOLUTE: Final = 1  # about the z axis of the joint frame
PRISMATIC: Final = 2  # along the z axis of the joint frame
SPHERICAL: Final = 3  # quaternion; rates are the angular velocity against the parent, in axes of the body
FREE: Final = (
    4  # child of the ground: position of the origin, quaternion; rates are velocity (ground axes) and
)
#                  angular velocity (axes of the body)
COLUMNS: Final = 5  # any chain of the freedoms below

TURN: Final = 0  # about one axis of the frame reached so far, with `T_PITCH` of travel per radian along it
SLIDE: Final = 1  # along one axis of the frame reached so far
BALL: Final = 2  # quaternion, three columns; rates in axes of the body

# --- integer table ----------------------------------------------------------------------------------------------------
T_PARENT: Final = 0
T_JOINT: Final = 1
T_Q: Final = 2  # first coordinate
T_V: Final = 3  # first rate
T_HAND: Final = (
    4  # where the block goes: HAND_ON to row i - 1, HAND_GROUND nowhere, else the row that collects it
)
T_COLLECT: Final = 5  # row with the collected blocks of children, 0 for none
T_FIRST: Final = 6  # row of the block of a joint of code COLUMNS, its freedoms follow
T_FREEDOMS: Final = 7  # rates of the joint
T_INT: Final = 8

HAND_ON: Final = 0
HAND_GROUND: Final = -1

# of a freedom
T_KIND: Final = 0
T_AXIS: Final = 1  # 0, 1, 2
T_COORDINATE: Final = 2
T_RATE: Final = 3
T_DRIVEN: Final = 4  # 1: coordinate, rate and acceleration are given

# of row 0
T_BODIES: Final = 0  # number of bodies
T_LOADED: Final = 1  # 1: wrenches stand in `T_DELTA` before the elimination

# --- constant table ---------------------------------------------------------------------------------------------------
T_FRAME: Final = 0  # joint frame in axes of the parent, 3x3 row by row
T_BASE: Final = 9  # origin of the joint frame in the parent
T_MASS: Final = 12
T_MOMENT: Final = 13  # mass times centre, axes of the body
T_INERTIA: Final = 16  # about the origin: xx, xy, xz, yy, yz, zz
T_REAL: Final = 22

T_PITCH: Final = 0  # of a freedom

# --- work table -------------------------------------------------------------------------------------------------------
T_ROT: Final = 0  # body to ground
T_ARM: Final = 9  # from the origin of the parent to the own origin
T_OMEGA: Final = 12
T_ALPHA: Final = 15  # angular acceleration while all unknown q'' are zero; the whole one after `total`
T_ACCEL: Final = 18  # acceleration of the origin, likewise, gravity taken off
T_FACTOR: Final = 21  # what the elimination leaves for the answers
T_DELTA: Final = (
    39  # wrench (torque about the origin, force) on entry; then angular and linear part of the answer
)
T_ORIGIN: Final = 45  # origin in ground
T_WORK: Final = 48

T_VEL: Final = 21  # velocity of the origin; only until the elimination starts

# factor of one scalar freedom: gains of the six accelerations, own term, 1 / V
F_GAIN: Final = 21
F_OWN: Final = 27
F_SCALE: Final = 28

# factor of a spherical joint by LTDL: J = L D L^T
F_LOWER: Final = 21  # l10, l20, l21
F_PIVOT: Final = 24  # 1 / d
F_COUPLING: Final = 27  # D^-1 L^-1 H, 3x3
F_BALL: Final = 36  # D^-1 L^-1 t

# the same by sweep
F_INVERSE: Final = 21  # J^-1, packed
# F_COUPLING holds J^-1 H and F_BALL J^-1 t

# block row of `ltdl`: packed angular block, coupling, packed linear block, torque, force
K_ANGULAR: Final = 0
K_COUPLING: Final = 6
K_LINEAR: Final = 15
K_TORQUE: Final = 21
K_FORCE: Final = 24

# block row of `sweep`: four whole blocks, torque, force
W_ANGULAR: Final = 0
W_UPPER: Final = 9
W_LOWER: Final = 18
W_LINEAR: Final = 27
W_TORQUE: Final = 36
W_FORCE: Final = 39

# freedom row
C_COLUMN: Final = 0  # motion of the body per rate: angular, linear part at its origin
C_GAIN: Final = 6
C_OWN: Final = 12
C_SCALE: Final = 13  # by `ltdl`: 1 / V
C_LOAD: Final = 13  # the rest by `sweep`: A^T p*, M* A, A^T M*, V and then its inverse
C_MOMENTUM: Final = 14
C_ROW: Final = 20
C_INVERSE: Final = 26

# --- loop rows --------------------------------------------------------------------------------------------------------
L_I: Final = 0  # torque about the origin of body i and force, per unit of the multiplier
L_J: Final = 6
L_COLUMNS: Final = 12

# --- placing of body frames -------------------------------------------------------------------------------------------
O_FRAME: Final = 0  # joint frame in axes of the parent, quaternion
O_POINT: Final = 4  # origin of the body frame in the tree frame
O_TURN: Final = 7  # body frame in axes of the tree frame, quaternion
O_COLUMNS: Final = 11

# --- options ----------------------------------------------------------------------------------------------------------
TREE_H: Final = 0
TREE_TOL_ABS: Final = 1
TREE_TOL_REL: Final = 2
TREE_ALPHA: Final = 3  # of Baumgarte: 2 alpha phi' + beta^2 phi
TREE_BETA: Final = 4
TREE_REAL: Final = 5

TREE_SOLVER: Final = 0
TREE_INTEGRATOR: Final = 1
TREE_STRIDE: Final = 2
TREE_PROJECT: Final = 3  # 1: close the loops after every step
TREE_INT: Final = 4

SOLVER_LTDL: Final = 0
SOLVER_SWEEP: Final = 1

# outcomes of a step beside those of `linkwright.kernels.layout`
STEP_TOO_SMALL: Final = 16  # the adaptive step has shrunk to nothing
STEP_OPEN: Final = 17  # a loop could not be closed

FIND_ACCELERATIONS: Final = 0
CLOSE_POSITIONS: Final = 1
CLOSE_RATES: Final = 2

STOERMER: Final = 0
RUNGE_KUTTA: Final = 1
DORMAND_PRINCE: Final = 2
SYMPLECTIC_EULER: Final = 3


class TreeModel(NamedTuple):
    """A mechanism as a tree; arrays are C-contiguous, SI units.

    Attributes
    ----------
    tree_int, tree_real : (rows, T_INT), (rows, T_REAL)
    place_real : (n_body + 1, O_COLUMNS) where the body frames are
    body_of : (n_body + 1,) body of each tree row; -1 for the ground
    scalars : (n_scalar, 2) coordinate and rate of every freedom that is a plain number
    balls : (n_ball, 2) first coordinate and first rate of every quaternion
    loop_rows : (n_loop,) constraint row of the mechanism that each loop row is
    tables : force elements and loop primitives, with tree rows for bodies, tree frames for points and axes
    """

    tree_int: Ints
    tree_real: Floats
    place_real: Floats
    body_of: Ints
    scalars: Ints
    balls: Ints
    loop_rows: Ints
    tables: Tables


class TreeOptionTables(NamedTuple):
    """Options as the kernels read them: (TREE_REAL,) and (TREE_INT,)."""

    reals: Floats
    ints: Ints


class TreeMotion(NamedTuple):
    """Coordinates, rates, accelerations, and multipliers of the loop rows.

    Attributes
    ----------
    q : (n_q,)
    v, a : (n_v,)
    lam : (n_loop,)
    """

    q: Floats
    v: Floats
    a: Floats
    lam: Floats


class TreeScratch(NamedTuple):
    """Room for one evaluation; nothing in it outlives a step.

    Attributes
    ----------
    work : (rows, T_WORK)
    bw : (n_body + 1, B_COLUMNS) placed bodies as force laws read them
    sw : (n_sda, S_COLUMNS)
    power : (3,) rates of the sums of the ledger
    phi, phi_d, phi_dd : (n_loop,) residuals of the loop rows and their rates
    wrench : (n_loop, L_COLUMNS)
    bodies : (n_loop, 2) int64, tree rows of the bodies of each row
    response : (n_loop, n_v) accelerations of the freedoms per unit of each multiplier
    schur : (n_loop, n_loop)
    pivots : (n_loop,) int64, order of elimination
    spare : (n_loop,)
    quats : (n_body + 1, 4) orientations of the tree frames
    """

    work: Floats
    bw: Floats
    sw: Floats
    power: Floats
    phi: Floats
    phi_d: Floats
    phi_dd: Floats
    wrench: Floats
    bodies: Ints
    response: Floats
    schur: Floats
    pivots: Ints
    spare: Floats
    quats: Floats


class TreeRun(NamedTuple):
    """What an integrator remembers between steps, and its stages.

    Attributes
    ----------
    new : motion at the end of the step that is being made
    base, end : motions at both ends of the last step of the adaptive integrator; `base` also serves substeps
    x : (n_v,) chart coordinates
    k_x, k_v : (7, n_v) rates of chart coordinates and of rates at the stages
    k_w : (7, 3) rates of the sums of the ledger at the stages
    power : (4, 3) rates of the sums at the state, at `base`, `end` and `new`
    sums : (4, 4) sums likewise
    history, history_w : (6, n_v), (6, 3) accelerations and rates of the sums, the newest first
    increment : (n_v,) last change of the coordinates
    clock : (INNER_COLUMNS,) see below
    counts : (2,) evaluations and rejected tries of the step that is being made
    """

    new: TreeMotion
    base: TreeMotion
    end: TreeMotion
    x: Floats
    k_x: Floats
    k_v: Floats
    k_w: Floats
    power: Floats
    sums: Floats
    history: Floats
    history_w: Floats
    increment: Floats
    clock: Floats
    counts: Floats


AT_STATE: Final = 0
AT_BASE: Final = 1
AT_END: Final = 2
AT_NEW: Final = 3

INNER_READY: Final = 0  # 0: the state was set from outside, integrators begin anew
INNER_KNOWN: Final = 1  # rows of `history` that are filled
INNER_T: Final = 2  # time of `base`
INNER_H: Final = 3  # length of the step from `base` to `end`
INNER_NEXT: Final = 4  # length to try next
INNER_COLUMNS: Final = 5


class Coefficients(NamedTuple):
    """Numbers of the integrators, see `linkwright.engines.tree_integrators`.

    Attributes
    ----------
    rk4 : (5, 5) classical Runge-Kutta, its last row the weights
    dp : (7, 7) Dormand-Prince 5(4), its last row the weights
    dp_error : (7,) weights of the error estimate
    dp_dense : (7, 4) weights at a fraction of the step are polynomials without constant term
    stoermer : (6,) of q_1 - 2 q_0 + q_-1
    velocity : (6,) of h v_1 - (q_1 - q_0)
    adams : (6,) of v_1 - v_0
    adams_moulton : (6,) the same with the new value first
    nodes : (3, 6) of v at the three Gauss points of the step minus v_0
    """

    rk4: Floats
    dp: Floats
    dp_error: Floats
    dp_dense: Floats
    stoermer: Floats
    velocity: Floats
    adams: Floats
    adams_moulton: Floats
    nodes: Floats
