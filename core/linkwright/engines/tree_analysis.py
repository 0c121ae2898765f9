"""Analyses in joint coordinates: mass matrix, inverse dynamics, linear modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from linkwright.engines.state import State
from linkwright.engines.tree import ASSEMBLY_ROUNDS, TreeWorkspace, find_accelerations
from linkwright.errors import RunError
from linkwright.kernels.layout import STEP_DONE, Floats
from linkwright.kernels.tree import composite, evaluate, reactions
from linkwright.kernels.tree.chart import move
from linkwright.kernels.tree.layout import T_DELTA, T_LOADED, TreeMotion
from linkwright.kernels.tree.loads import apply_loads
from linkwright.kernels.tree.outward import outward

DIFFERENCE = 1e-5
"""Displacement and rate of the central differences of the linear modes."""
BALANCED = 1e-6
"""Accelerations up to this count as an equilibrium."""


def mass_matrix(work: TreeWorkspace, state: State) -> Floats:
    """Mass matrix (n_v, n_v) of the joint rates at a state, loops left open; v^T M v / 2 is the kinetic energy."""
    model = work.tables
    table = work.scratch.work
    n_v = state.v.size
    outward(model.tree_int, model.tree_real, state.q, np.zeros(n_v), np.zeros(n_v), table)
    blocks = np.zeros((work.mechanism.tables.n_body + 1, 21))
    matrix = np.zeros((n_v, n_v))
    composite.mass_matrix(model.tree_int, model.tree_real, table, blocks, matrix)
    return matrix


def inverse_dynamics(work: TreeWorkspace, state: State, a: Floats) -> Floats:
    """Forces and torques (n_v,) that have to push the freedoms for given accelerations at a state, loops left open.

    Recursive Newton-Euler (Luh, Walker, Paul 1980). All force elements act; what is returned comes on top of them.
    Rates of ball joints have torques in axes of the body.
    """
    model = work.tables
    scratch = work.scratch
    motion = TreeMotion(state.q, state.v, np.asarray(a, np.float64), state.lam)
    evaluate.place_all(model, motion, scratch)
    reactions.spread(model.tree_int, motion.a, scratch.work)
    reactions.total(model.tree_int, scratch.work)
    tree_int = model.tree_int.copy()
    if tree_int[0, T_LOADED]:
        apply_loads(model.tree_int, model.tables, scratch.work, scratch.bw, scratch.sw)
    react = np.zeros((work.mechanism.tables.n_body + 1, 6))
    reactions.reactions(tree_int, model.tree_real, scratch.work, react)
    scratch.work[0, T_DELTA : T_DELTA + 6] = 0.0
    u = np.zeros(state.v.size)
    reactions.along_freedoms(tree_int, scratch.work, react, u)
    return u


@dataclass(frozen=True, slots=True)
class TreeModes:
    """Linear modes about an equilibrium, slowest first; one of each conjugate pair.

    Attributes
    ----------
    eigenvalues : (n_mode,) complex
        [1/s].
    shapes : (n_mode, n_v) complex
        Displacements of the joint coordinates, largest entry 1.
    """

    eigenvalues: np.ndarray
    shapes: np.ndarray

    @property
    def frequencies(self) -> Floats:
        """Frequencies of the damped oscillations [Hz]; 0 for motions that only creep."""
        return np.asarray(np.abs(self.eigenvalues.imag) / (2 * np.pi))

    @property
    def damping_ratios(self) -> Floats:
        """-Re / |eigenvalue|: 0 undamped, 1 and -1 without oscillation; 0 for a free motion."""
        size = np.abs(self.eigenvalues)
        return np.asarray(-self.eigenvalues.real / np.where(size > 0.0, size, 1.0))


def linear_modes(work: TreeWorkspace, state: State) -> TreeModes:
    """Modes about an equilibrium, from central differences of the accelerations; closed loops stay closed.

    Raises
    ------
    RunError
        When the state is no equilibrium, or its accelerations are not determined.
    """
    motion = TreeMotion(state.q.copy(), np.zeros(state.v.size), np.zeros(state.v.size), state.lam.copy())
    at_rest = _accelerations(work, motion, np.zeros(state.v.size), np.zeros(state.v.size))
    if np.abs(at_rest).max(initial=0.0) > BALANCED:
        raise RunError(
            f"The mechanism is not in equilibrium: it accelerates with up to {np.abs(at_rest).max():.3g}. "
            "Find its equilibrium first."
        )
    basis, inverse = _free_directions(work, motion)
    n = basis.shape[1]
    by_position, by_rate = np.zeros((n, n)), np.zeros((n, n))
    still = np.zeros(state.v.size)
    for k in range(n):
        step = DIFFERENCE * basis[:, k]
        ahead, behind = (_accelerations(work, motion, sign * step, still) for sign in (1.0, -1.0))
        by_position[:, k] = inverse @ (ahead - behind) / (2 * DIFFERENCE)
        ahead, behind = (_accelerations(work, motion, still, sign * step) for sign in (1.0, -1.0))
        by_rate[:, k] = inverse @ (ahead - behind) / (2 * DIFFERENCE)
    system = np.block([[np.zeros((n, n)), np.eye(n)], [by_position, by_rate]])
    values, vectors = np.linalg.eig(system)
    chosen = [k for k in np.lexsort((values.real, np.abs(values.imag))) if values[k].imag >= 0.0]
    shapes = (basis @ vectors[:n, chosen]).T
    largest = shapes[np.arange(len(chosen)), np.abs(shapes).argmax(axis=1)] if n else np.zeros(0)
    return TreeModes(values[chosen], shapes / largest[:, None])


def _free_directions(work: TreeWorkspace, motion: TreeMotion) -> tuple[Floats, Floats]:
    """Basis (n_v, n) of the rates that keep the loops closed, and its left inverse in the metric of the masses."""
    n_v = motion.v.size
    state_like = State(motion.q, motion.v, motion.a, motion.lam, *(np.zeros(0) for _ in range(4)))
    mass = mass_matrix(work, state_like)
    basis = np.eye(n_v)
    if work.mechanism.n_loop > 0:
        rows = np.zeros((work.mechanism.n_loop, n_v))
        for k in range(n_v):
            unit = np.zeros(n_v)
            unit[k] = 1.0
            evaluate.place_all(work.tables, motion._replace(v=unit), work.scratch)
            rows[:, k] = work.scratch.phi_d
        basis = null_space(rows, rcond=1e-9)
    inverse = np.linalg.solve(basis.T @ mass @ basis, basis.T @ mass)
    return np.asarray(basis, np.float64), np.asarray(inverse, np.float64)


def _accelerations(work: TreeWorkspace, centre: TreeMotion, x: Floats, v: Floats) -> Floats:
    """Accelerations a small way from a motion, brought back on the loops."""
    motion = TreeMotion(centre.q.copy(), v.copy(), centre.a.copy(), centre.lam.copy())
    move(work.tables.scalars, work.tables.balls, centre.q, x, motion.q)
    status = STEP_DONE
    if work.mechanism.n_loop > 0:
        status = evaluate.close_loops(work.tables, work.option_tables, motion, work.scratch, ASSEMBLY_ROUNDS)
    if status == STEP_DONE:
        status = find_accelerations(work, motion)
    if status != STEP_DONE:
        raise RunError("The accelerations of the mechanism are not determined in this pose.")
    return motion.a
