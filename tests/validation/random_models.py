"""Random mechanisms as hand-made tables: every primitive and every force, general inertia, any state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwright.compiler.model import CompiledModel, JointLink, RowLabel
from linkwright.kernels import layout
from linkwright.kernels.layout import Tables

Array = NDArray[np.float64]
SIZES = {layout.POINT: 3, layout.DOT1: 1, layout.DOT2: 1, layout.DISTANCE: 1}


def table(rows: list[list[float]], columns: int) -> Array:
    """Read-only table with one row per element; numba compiles another version for writable arrays."""
    out = np.array(rows, float).reshape(len(rows), columns)
    out.setflags(write=False)
    return out


def int_table(rows: list[list[int]], columns: int) -> NDArray[np.int64]:
    """Integer table with one row per element."""
    out = np.array(rows, np.int64).reshape(len(rows), columns)
    out.setflags(write=False)
    return out


def random_inertia(rng: np.random.Generator) -> list[float]:
    """A tensor of three rods, so that the triangle rule holds: xx, yy, zz, xy, xz, yz."""
    points = rng.uniform(-0.5, 0.5, (3, 3))
    t = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points) * rng.uniform(0.5, 3.0) + 0.05 * np.eye(3)
    return [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]]


def make_model(
    bodies: list[list[float]],
    prims: list[tuple[int, int, int, list[float]]],
    sda: list[tuple[list[int], list[float]]],
    forces: list[tuple[list[int], list[float]]] | None = None,
    torques: list[tuple[list[int], list[float]]] | None = None,
    gravity: tuple[float, float, float] = (0.3, -9.0, 1.0),
) -> CompiledModel:
    """Compiled model from plain lists; `prims` holds code, i, j and reals."""
    forces, torques = forces or [], torques or []
    ints: list[list[int]] = []
    row_prim: list[int] = []
    labels: list[RowLabel] = []
    links: list[JointLink] = []
    for p, (code, i, j, _) in enumerate(prims):
        first = len(row_prim)
        ints.append([code, i, j, first])
        row_prim += [p] * SIZES[code]
        labels += [RowLabel(f"j{p}", f"row {k}", "ground") for k in range(SIZES[code])]
        links.append(JointLink(f"j{p}", i, j, first, len(row_prim), None))
    gravity_array = np.array(gravity)
    prim = np.array(row_prim, np.int64)
    for array in (gravity_array, prim):
        array.setflags(write=False)
    tables = Tables(
        table(bodies, layout.BODY_REAL),
        int_table(ints, layout.PRIM_INT),
        table([r for *_, r in prims], layout.PRIM_REAL),
        int_table([i for i, _ in sda], layout.SDA_INT),
        table([r for _, r in sda], layout.SDA_REAL),
        int_table([i for i, _ in forces], layout.LOAD_INT),
        table([r for _, r in forces], layout.LOAD_REAL),
        int_table([i for i, _ in torques], layout.LOAD_INT),
        table([r for _, r in torques], layout.LOAD_REAL),
        gravity_array,
    )
    n = len(bodies)
    return CompiledModel(
        tables=tables,
        row_prim=prim,
        row_labels=tuple(labels),
        joints=tuple(links),
        joint_frames=np.zeros((len(links), 2, 12)),
        body_ids=tuple(f"b{k}" for k in range(n)),
        sda_ids=tuple(f"s{k}" for k in range(len(sda))),
        force_ids=tuple(f"f{k}" for k in range(len(forces))),
        torque_ids=tuple(f"t{k}" for k in range(len(torques))),
        poses=np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (n, 1)),
        twists=np.zeros((n, 6)),
    )


def random_model(seed: int) -> CompiledModel:
    """Three bodies with all primitives, SDA between bodies and to ground, forces and torques in both axes."""
    rng = np.random.default_rng(seed)
    n = 3

    def u() -> list[float]:
        return list(rng.uniform(-0.6, 0.6, 3))

    def ends(code: int) -> tuple[int, int]:
        i, j = rng.choice(n + 1, 2, replace=False)
        return int(i), int(j)

    prims: list[tuple[int, int, int, list[float]]] = []
    for code in (layout.POINT, layout.DOT1, layout.DOT2, layout.DISTANCE, layout.DOT2, layout.DOT1):
        i, j = ends(code)
        prims.append((code, i, j, [*u(), *u(), *u(), float(rng.uniform(0.5, 2.0))]))
    sda = []
    for _ in range(3):
        i, j = ends(layout.DISTANCE)
        law = [10 ** rng.uniform(1, 5), 10 ** rng.uniform(0, 4), rng.uniform(0.3, 2.0), 1e3 * rng.normal()]
        sda.append(([i, j, 0], [*u(), *u(), *(float(x) for x in law)]))
    forces = [([int(rng.integers(n)), in_body], [*(100 * rng.normal(size=3)), *u()]) for in_body in (0, 1)]
    torques = [
        ([int(rng.integers(n)), in_body], [*(10 * rng.normal(size=3)), 0.0, 0.0, 0.0]) for in_body in (0, 1)
    ]
    bodies = [[rng.uniform(0.5, 5.0), *random_inertia(rng), *u()] for _ in range(n)]
    return make_model(bodies, prims, sda, forces, torques)


def random_state(model: CompiledModel, seed: int) -> tuple[Array, Array, Array, Array]:
    """A state without any consistency; even the Euler parameters are not of length one."""
    rng = np.random.default_rng(seed + 1000)
    q = rng.normal(size=7 * model.n_body)
    for b in range(model.n_body):
        q[7 * b + 3 : 7 * b + 7] *= rng.uniform(0.9, 1.1) / np.linalg.norm(q[7 * b + 3 : 7 * b + 7])
    v = rng.normal(size=q.size)
    a = 10 * rng.normal(size=q.size)
    lam = 100 * rng.normal(size=model.n_row + model.n_body)
    return q, v, a, lam
