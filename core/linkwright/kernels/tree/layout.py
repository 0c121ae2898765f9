"""Codes and column numbers of the tree tables.

Row 0 of every table is the ground; row i >= 1 is body i, numbered so that a parent comes before its children. Behind
the bodies stand further rows that some bodies own: one to collect the blocks of several children (`T_COLLECT`), and for
a joint that is treated column by column one for its block, then one per freedom (`T_FIRST`).
"""

from __future__ import annotations

from typing import Final

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

# factor of one scalar freedom: gains of the six accelerations, then the own term
F_GAIN: Final = 21
F_OWN: Final = 27

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
C_LOAD: Final = 13  # the rest by sweep only: A^T p*, M* A, A^T M*, V and then its inverse
C_MOMENTUM: Final = 14
C_ROW: Final = 20
C_INVERSE: Final = 26
