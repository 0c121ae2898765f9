"""The equations of motion in plain numpy, written from theory sections 1 to 8 without any of the kernels' shortcuts.

Everything is a polynomial or a square root of complex-valued arguments, so that derivatives follow from complex steps
to full precision. The three polynomials of the rotation are a parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwright.compiler.model import CompiledModel
from linkwright.kernels import layout

Numbers = NDArray[Any]
POLYNOMIALS = ("homogeneous", "two_l0_squared_minus_one", "one_minus_two_l_dot_l")
STEP = 1e-30


def cross(a: Numbers, b: Numbers) -> Numbers:
    """Vector product that keeps complex parts."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotate(e: Numbers, u: Numbers, polynomial: str = "homogeneous") -> Numbers:
    """A(e) u."""
    s, vector = e[0], e[1:]
    square = vector @ vector
    d = {
        "homogeneous": s * s - square,
        "two_l0_squared_minus_one": 2 * s * s - 1,
        "one_minus_two_l_dot_l": 1 - 2 * square,
    }[polynomial]
    turned: Numbers = d * u + 2 * vector * (vector @ u) + 2 * s * cross(vector, u)
    return turned


def g_matrix(e: Numbers) -> Numbers:
    """G(e), 3 x 4: body angular velocity is 2 G e'."""
    s, x, y, z = e
    return np.array([[-x, s, z, -y], [-y, -z, s, x], [-z, y, -x, s]])


def jacobian(function: Callable[[Numbers], Numbers], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Derivative by complex steps."""
    columns = []
    for k in range(x.size):
        shifted = x.astype(complex)
        shifted[k] += 1j * STEP
        columns.append(function(shifted).imag / STEP)
    return np.array(columns).T


@dataclass(frozen=True)
class Reference:
    """Residual of a compiled model.

    Attributes
    ----------
    model : CompiledModel
    kept : (n_row,) bool
    polynomial : str
    """

    model: CompiledModel
    kept: NDArray[np.bool_]
    polynomial: str = "homogeneous"

    def body(self, q: Numbers, b: int) -> tuple[Numbers, Numbers]:
        """Position and Euler parameters; those of the ground for b = n_body."""
        if b == self.model.n_body:
            return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        return q[7 * b : 7 * b + 3], q[7 * b + 3 : 7 * b + 7]

    def point(self, q: Numbers, b: int, u: Numbers) -> Numbers:
        """Position of a body point."""
        r, e = self.body(q, b)
        return r + rotate(e, u, self.polynomial)

    def axis(self, q: Numbers, b: int, a: Numbers) -> Numbers:
        """Direction fixed in a body."""
        return rotate(self.body(q, b)[1], a, self.polynomial)

    def all_rows(self, q: Numbers) -> Numbers:
        """Residuals of the primitives."""
        rows: list[Any] = []
        for ints, reals in zip(self.model.tables.prim_int, self.model.tables.prim_real, strict=True):
            code, i, j = (int(x) for x in ints[:3])
            ui, uj, axis, length = reals[0:3], reals[3:6], reals[6:9], reals[9]
            if code == layout.DOT1:
                rows.append(self.axis(q, i, ui) @ self.axis(q, j, uj))
                continue
            d = self.point(q, i, ui) - self.point(q, j, uj)
            if code == layout.POINT:
                rows.extend(d)
            elif code == layout.DOT2:
                rows.append(self.axis(q, j, axis) @ d)
            else:
                rows.append((d @ d - length**2) / (2 * length))
        return np.array(rows)

    def phi(self, q: Numbers) -> Numbers:
        """Rows that count, then e . e - 1 of each body."""
        norms = []
        for b in range(self.model.n_body):
            e = self.body(q, b)[1]
            norms.append(e @ e - 1)
        return np.concatenate([self.all_rows(q)[self.kept], np.array(norms)])

    def sda_force(self, q: Numbers, v: Numbers, s: int) -> tuple[Numbers, Numbers, Any]:
        """Generalised force of one SDA over all coordinates, unit vector and tension."""
        ints, reals = self.model.tables.sda_int[s], self.model.tables.sda_real[s]
        i, j = int(ints[0]), int(ints[1])

        def gap(x: Numbers) -> Numbers:
            return self.point(x, j, reals[3:6]) - self.point(x, i, reals[0:3])

        by_q = self.exact_derivative(gap, q)
        h, hd = gap(q), by_q @ v
        length = np.sqrt(h @ h)
        n = h / length
        k, c, free, fa = reals[6:10]
        f = k * (length - free) + c * (n @ hd) + fa
        if ints[2] and (length.real <= free or f.real <= 0):
            f = 0.0 * f
        return -f * (by_q.T @ n), n, f

    @staticmethod
    def exact_derivative(function: Callable[[Numbers], Numbers], q: Numbers) -> Numbers:
        """Derivative of a quadratic function by central differences, exact and good for complex q."""
        columns = []
        for k in range(q.size):
            step = np.zeros(q.size)
            step[k] = 1.0
            columns.append((function(q + step) - function(q - step)) / 2)
        return np.array(columns).T

    def applied(self, q: Numbers, v: Numbers) -> Numbers:
        """Generalised forces of gravity, forces and torques."""
        t = self.model.tables
        total: Numbers = np.zeros(q.size, dtype=q.dtype)
        for b in range(self.model.n_body):
            total[7 * b : 7 * b + 3] += t.body[b, 0] * t.gravity
        for ints, reals in zip(t.force_int, t.force_real, strict=True):
            b, in_body = int(ints[0]), bool(ints[1])
            f = self.axis(q, b, reals[0:3]) if in_body else reals[0:3]
            by_q = self.exact_derivative(lambda x, b=b, u=reals[3:6]: self.point(x, b, u), q)  # type: ignore[misc]  # defaults bind
            total = total + by_q.T @ f
        for ints, reals in zip(t.torque_int, t.torque_real, strict=True):
            b, in_body = int(ints[0]), bool(ints[1])
            g = g_matrix(self.body(q, b)[1])
            if not in_body:
                # E(e) = G of the conjugate, up to signs: ground angular velocity 2 E e'
                s, x, y, z = self.body(q, b)[1]
                g = np.array([[-x, s, -z, y], [-y, z, s, -x], [-z, -y, x, s]])
            total[7 * b + 3 : 7 * b + 7] = total[7 * b + 3 : 7 * b + 7] + 2 * g.T @ reals[0:3]
        return total

    def inertial(self, q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        """M q'' - Qv."""
        out = np.zeros(q.size, dtype=np.result_type(q, v, a))
        for b in range(self.model.n_body):
            row = self.model.tables.body[b]
            xx, yy, zz, xy, xz, yz = row[1:7]
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            e, ed, edd = (x[7 * b + 3 : 7 * b + 7] for x in (q, v, a))
            g, gd = g_matrix(e), g_matrix(ed)
            out[7 * b : 7 * b + 3] = row[0] * a[7 * b : 7 * b + 3]
            out[7 * b + 3 : 7 * b + 7] = 4 * g.T @ tensor @ g @ edd + 8 * gd.T @ tensor @ g @ ed
        return out

    def phi_q(self, q: Numbers) -> Numbers:
        """Derivative of the rows; rows are polynomials of degree 4 at most along each coordinate."""

        def five_point(k: int) -> Numbers:
            step = np.zeros(q.size)
            step[k] = 1.0
            near = self.phi(q + step) - self.phi(q - step)
            far = self.phi(q + 2 * step) - self.phi(q - 2 * step)
            slope: Numbers = (8 * near - far) / 12
            return slope

        return np.array([five_point(k) for k in range(q.size)]).T

    def residual(self, q: Numbers, v: Numbers, a: Numbers, lam: Numbers, with_sda: bool = True) -> Numbers:
        """[M q'' + Phi_q^T lam - Qv - Qa - Qe ; Phi]."""
        force: Numbers = self.inertial(q, v, a) + self.phi_q(q).T @ lam - self.applied(q, v)
        if with_sda:
            for s in range(len(self.model.sda_ids)):
                force = force - self.sda_force(q, v, s)[0]
        return np.concatenate([force, self.phi(q)])
