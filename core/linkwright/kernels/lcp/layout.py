"""Tables of the contact stepper: integer codes, column numbers, and the bundles of arrays its kernels take.

Velocities are u = sqrt(M) v: the mass centre in ground axes times sqrt(m), the turn about each principal axis times
sqrt(J). The mass matrix is then the identity and a constraint row is one scaled vector per body (performance page).
Every table has one more body than the mechanism: the ground, which has no inverse mass and never moves.

Planar mechanisms have coordinates of their own, three per body, in axes e1, e2, n of their plane; `DIMENSION` of a run
is a tuple with as many zeros as a body has velocities, so that each case is compiled with loops of fixed length.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from linkwright.kernels.layout import Floats, Ints

SPATIAL: Final = (0, 0, 0, 0, 0, 0)
PLANAR: Final = (0, 0, 0)

# --- body table -------------------------------------------------------------------------------------------------------
K_ISM: Final = 0  # 1 / sqrt(m)
K_ISJ: Final = 1  # 1 / sqrt(J) about each principal axis; planar: about n
K_MASS: Final = 4
K_J: Final = 5  # principal moments; planar: about n
K_ORIGIN: Final = (
    8  # origin of the body frame from the mass centre, principal axes; planar: in the plane and along n
)
K_REL: Final = 11  # turn from the body frame to the principal frame; planar: body frame to ground at angle 0
K_GYRO: Final = 15  # 1 where the principal moments differ
K_COLUMNS: Final = 16

# --- coordinates of a body --------------------------------------------------------------------------------------------
# spatial: mass centre (3), Euler parameters of the principal frame (4); planar: mass centre (2), angle, cos, sin
Q_TURN: Final = 3
Q_ANGLE: Final = 2
Q_COS: Final = 3
Q_SIN: Final = 4
Q_COLUMNS: Final = 7

# --- placed body: mass centre (3), rotation matrix row by row (9); planar: mass centre (2), cos, sin
X_ROT: Final = 3
X_COS: Final = 2
X_SIN: Final = 3
X_COLUMNS: Final = 12

# --- primitives of joints and springs, in elimination order -----------------------------------------------------------
POINT: Final = 0  # r_i - r_j: three rows, planar two
DOT1: Final = 1  # (A_i a) . (A_j b)
DOT2: Final = 2  # (A_j c) . (r_i - r_j)
DISTANCE: Final = 3  # (d . d - L^2) / (2 L)
SDA: Final = 4  # soft row along the line of a spring-damper-actuator

R_CODE: Final = 0
R_I: Final = 1
R_J: Final = 2
R_ROW: Final = 3  # first row of the system
R_SOURCE: Final = 4  # primitive or SDA of the compiled model
R_INT: Final = 5

R_UI: Final = 0  # point or axis in principal axes of i (planar: plane axes at angle 0), from the mass centre
R_UJ: Final = 3
R_AXIS: Final = 6
R_LENGTH: Final = 9
R_K: Final = 6  # SDA: stiffness, damping, free length, actuator force, tension only
R_C: Final = 7
R_FREE: Final = 8
R_ACTUATOR: Final = 9
R_TENSION_ONLY: Final = 10
R_REAL: Final = 11

# --- couplings of two rows on a body: address in the matrix, start of either part in the flat rows
C_ADDRESS: Final = 0
C_A: Final = 1
C_B: Final = 2
C_INT: Final = 3

# --- applied loads ----------------------------------------------------------------------------------------------------
F_BODY: Final = 0
F_IN_BODY: Final = 1
F_TORQUE: Final = 2  # 1: the vector is a torque
F_INT: Final = 3

F_VECTOR: Final = 0
F_POINT: Final = 3
F_REAL: Final = 6

# --- scratch of an SDA, by its number in the compiled model -----------------------------------------------------------
S_LENGTH: Final = 0
S_RATE: Final = 1
S_DAMPING: Final = 2  # sqrt of the impulse per velocity of its soft row
S_PULL: Final = 3  # explicit part of its force
S_ACTIVE: Final = 4
S_ROW: Final = 5
S_COLUMNS: Final = 6


# --- rows of the joint system -----------------------------------------------------------------------------------------
W_I: Final = 0  # bodies
W_J: Final = 1
W_FIRST: Final = 2  # first column of the row in the factor
W_OFFSET: Final = 3  # entry (r, c) of the factor stands at offset + c
W_INT: Final = 4

V_COMPLIANCE: Final = 0  # 1 for soft rows, else 0
V_INVERSE: Final = 1  # one over the diagonal of the factor, 0 for a redundant row
V_RHS: Final = 2
V_LAM: Final = 3  # impulses of the step
V_PHI: Final = 4  # joint residuals
V_ROWS: Final = 5

# --- gravity and the plane e1, e2, n, row by row
WORLD_GRAVITY: Final = 0  # in plane axes for a planar run
WORLD_PLANE: Final = 3  # identity for a spatial run
WORLD_SIZE: Final = 12


class Machine(NamedTuple):
    """The mechanism without its contacts; read-only.

    Attributes
    ----------
    body : (n_body + 1, K_COLUMNS)
    world : (WORLD_SIZE,)
    prim_int, prim_real : (n_prim, R_INT), (n_prim, R_REAL)
    sda : (n_sda,) primitive of each SDA of the compiled model
    row_int : (n_row, W_INT)
    coupling : (n_coupling, C_INT)
    near_start : (n_body + 2,) where the rows of a body begin in `near`
    near : (n_near, 2) row, and start of its part for that body in the flat rows
    load_int, load_real : (n_load, F_INT), (n_load, F_REAL)
    """

    body: Floats
    world: Floats
    prim_int: Ints
    prim_real: Floats
    sda: Ints
    row_int: Ints
    coupling: Ints
    near_start: Ints
    near: Ints
    load_int: Ints
    load_real: Floats


class Bench(NamedTuple):
    """Room for one step; nothing in it outlives a step.

    Attributes
    ----------
    mid, end : (n_body + 1, Q_COLUMNS) coordinates at the midpoint and at the end
    placed : (n_body + 1, X_COLUMNS) bodies placed at one of them
    u_free, u_end : (n_body + 1, nv) velocities without contacts, and at the end
    rows : (n_row, 2 nv) joint rows, the part of side i first
    vector : (V_ROWS, n_row)
    matrix : (size,) factor of the system of the rows
    sda : (n_sda, S_COLUMNS)
    """

    mid: Floats
    end: Floats
    placed: Floats
    u_free: Floats
    u_end: Floats
    rows: Floats
    vector: Floats
    matrix: Floats
    sda: Floats


# --- contact points ---------------------------------------------------------------------------------------------------
PLANE: Final = 0  # point or ball of i against a half space of j
STRIP: Final = 1  # the same against a face of finite length
BALLS: Final = 2  # ball of i against ball of j
SOCKET: Final = 3  # ball of i inside a hollow ball of j
BORE: Final = 4  # pin of i inside a bore of j along its axis n
ANGLE: Final = 5  # angle of i against j about n, in [low, high]
BALL_BOX: Final = 6  # ball of i against a box of j
BOX_BOX: Final = 7  # box of i against a box of j; the seven points behind it belong to it
FOLLOWER: Final = 8  # one of those seven

P_KIND: Final = 0
P_I: Final = 1
P_J: Final = 2
P_GROUP: Final = 3  # contact that is recorded
P_INT: Final = 4

P_UI: Final = 0  # point of i, or x axis of i (ANGLE), principal axes, from the mass centre
P_UJ: Final = 3  # origin of the face, ball, bore or box of j, or x axis of j (ANGLE)
P_N: Final = 6  # outward normal or axis on j
P_T: Final = 9  # first tangent on j
P_RI: Final = 12  # radius of the ball or pin of i
P_RJ: Final = 13  # radius of the ball, hollow ball or bore of j
P_SIZE: Final = (
    14  # half extents of j along t, n x t, n (boxes); half length, depth (STRIP); low, high angle (ANGLE)
)
P_MU: Final = 17
P_MU_STATIC: Final = 18  # friction while the contact sticks
P_EN: Final = 19
P_ET: Final = 20
P_BELT: Final = 21  # velocity of the surface of j along t and n x t, seen from j
P_SLOW: Final = 23  # approach slower than this gets no rebound
P_SIZE_I: Final = 24  # half extents of the box of i along its t, n x t, n (BOX_BOX)
P_N_I: Final = 27  # z and x axes of the box of i (BOX_BOX)
P_T_I: Final = 30
P_REAL: Final = 33

# --- active contacts of a step ----------------------------------------------------------------------------------------
T_POINT: Final = 0  # contact point, and its bodies
T_I: Final = 1
T_J: Final = 2
T_INT: Final = 3

A_GAP: Final = 0
A_N: Final = 1  # from j to i, ground axes
A_T: Final = 4
A_AT: Final = 7  # common point of both bodies; a direction about n for ANGLE
A_BEFORE: Final = 10  # normal velocity before
A_E: Final = 11  # restitution in use, normal and tangential
A_ET: Final = 12
A_COLUMNS: Final = 13

# --- memory of a contact point: state of the normal row, then of its tangential rows, as in `problem`
MAX_DIRECTIONS: Final = 8
M_STILL: Final = 1 + MAX_DIRECTIONS  # 1 when it was closed and did not slip
M_COLUMNS: Final = 2 + MAX_DIRECTIONS

STILL: Final = 1e-9
"""Part of the largest contact velocity of a step below which a slip speed is rounding."""

# --- a group in one step ----------------------------------------------------------------------------------------------
G_NORMAL: Final = 0  # sum of normal impulses
G_TANGENT: Final = 1  # sum of friction impulses, signed along the first tangent
G_APPROACH: Final = 2  # largest speed of approach
G_DEPART: Final = 3  # speed of departure at that point
G_SLIP: Final = 4  # slip speed at the point with the largest impulse, signed along the first tangent
G_LOST: Final = 5  # energy lost
G_CLOSED: Final = 6  # closed points
G_STICK: Final = 7  # sticking points
G_LARGEST: Final = 8  # largest normal impulse of a point
G_STEP: Final = 9  # columns up to here begin anew in each step
# ... and its memory between steps and frames
L_STATE: Final = 9  # state of the last step
L_SIDE: Final = 10  # direction of its slip
L_TOLD: Final = 11  # lasting state that the event list knows
L_TOLD_SIDE: Final = 12
L_NORMAL: Final = 13  # sums since the last frame
L_TANGENT: Final = 14
L_IMPACT: Final = 15  # 1 when there was an impact since the last frame
L_SLIP: Final = 16
G_COLUMNS: Final = 17

STATE_OPEN: Final = 0
STATE_STICK: Final = 1
STATE_SLIP: Final = 2
STATE_IMPACT: Final = 3

# --- events -----------------------------------------------------------------------------------------------------------
EVENT_IMPACT: Final = 0
EVENT_STICK: Final = 1
EVENT_SLIP: Final = 2

E_T: Final = 0
E_KIND: Final = 1
E_GROUP: Final = 2
E_APPROACH: Final = 3
E_DEPART: Final = 4
E_NORMAL: Final = 5
E_TANGENT: Final = 6
E_SLIP: Final = 7
E_LOST: Final = 8
E_COLUMNS: Final = 9

# --- options ----------------------------------------------------------------------------------------------------------
O_H: Final = 0
O_THETA: Final = 1
O_POSITION: Final = 2  # bound of the joint residuals after projection
O_TOLERANCE: Final = 3  # of the contact solver
O_IMPACT: Final = 4  # approach that counts as an impact
O_NEAR: Final = 5  # gap that counts as closed, above the rounding of positions
O_REAL: Final = 6

O_STRIDE: Final = 0
O_DIRECTIONS: Final = 1  # 0: circular cone, else half the sides of the polyhedral one
O_ROUNDS: Final = 2  # rounds of joint projection at most
O_INT: Final = 3

# --- outcome of a step ------------------------------------------------------------------------------------------------
DONE: Final = 0
NOT_SOLVED: Final = 1  # no method satisfied the contact laws
NOT_FINITE: Final = 2
NO_LENGTH: Final = 3  # the ends of an SDA coincide
NOT_CLOSED: Final = 4  # the joints cannot be closed at the start
PENDING: Final = 5  # the contact problem waits for the other methods

OUT_STATUS: Final = 0
OUT_ELEMENT: Final = 1  # SDA without length
OUT_CONTACTS: Final = 2
OUT_PIVOTS: Final = 3
OUT_RETRIES: Final = 4
OUT_SOLVES: Final = 5
OUT_WORST: Final = 6  # joint row with the largest residual
OUT_COLUMNS: Final = 7

OUT_POSITION: Final = 0
OUT_VELOCITY: Final = 1
OUT_ERROR: Final = 2  # natural-map error of the contact problem
OUT_REAL: Final = 3

# --- ledger -----------------------------------------------------------------------------------------------------------
# the first four as in the implicit engine
LEDGER_IMPACT_LOSS: Final = 4
LEDGER_FRICTION_LOSS: Final = 5
LEDGER_SIZE: Final = 6

# --- channels of a mechanism with contacts, behind those of its SDA ---------------------------------------------------
CH_IMPACT_LOSS: Final = 0
CH_FRICTION_LOSS: Final = 1
CH_GROUPS: Final = 2  # from here five channels per group
CH_PER_GROUP: Final = 5  # gap, normal impulse, tangential impulse, state, slip


class Points(NamedTuple):
    """Contact points; read-only.

    Attributes
    ----------
    point_int, point_real : (n_point, P_INT), (n_point, P_REAL)
    """

    point_int: Ints
    point_real: Floats


class Touch(NamedTuple):
    """Contacts between steps and within one.

    Attributes
    ----------
    memory : (n_point, M_COLUMNS) states of the last step
    group : (n_group, G_COLUMNS) what the groups did in this step, and their memory
    events : (n_event, E_COLUMNS) events not yet fetched
    n_event : (1,) how many
    active : (nc, A_COLUMNS) active contacts of this step
    active_int : (nc, T_INT) their points and bodies
    rows : (n, 2 nv) their rows
    lift : (n, n_row) L^-1 W_E W_C^T, row by row of the contacts
    found, clip : room for a pair of boxes, see `boxes`
    """

    memory: Ints
    group: Floats
    events: Floats
    n_event: Ints
    active: Floats
    active_int: Ints
    rows: Floats
    lift: Floats
    found: Floats
    clip: Floats
