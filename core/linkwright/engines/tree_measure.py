"""What the tree engine costs: time of its parts on this machine, and counted operations."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import TreeOptions
from linkwright.engines.base import start_frame
from linkwright.engines.state import RowBlock
from linkwright.engines.tree import SOLVERS, TreeEngine
from linkwright.engines.tree_mechanism import lay_out
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.tree import ltdl, operations, sweep
from linkwright.kernels.tree.outward import outward
from linkwright.kernels.tree.timing import evaluate_often, solve_often

MODULES = {"ltdl": ltdl, "sweep": sweep}
STEP = 1e-6
"""Steps of the timed run are this short, so that the chain hardly moves while it is timed [s]."""
COUNTED_BODIES = (12, 13)
"""Operations per body are the difference between chains of these lengths, so that their ends do not count."""


@dataclass(frozen=True, slots=True)
class Times:
    """Processor times [s].

    Attributes
    ----------
    evaluation : float
        All accelerations at a state.
    solve : float
        Elimination and answers alone.
    step : float
        A whole step of Stoermer, its report included.
    """

    evaluation: float
    solve: float
    step: float


class Contender:
    """A mechanism ready to be timed with one elimination, moved away from its drawn pose at random."""

    def __init__(self, mechanism: Mechanism, solver: str, seed: int = 1) -> None:
        self.model = compile_mechanism(mechanism)
        self.laid_out = lay_out(self.model)
        self.solver = solver
        tables = self.laid_out.tables
        self.q, self.v = random_state(self.laid_out.kernel_model.balls, tables.make_q(), tables.n_v, seed)
        self.a = np.zeros(tables.n_v)
        self.work = tables.make_work(self.model.tables.gravity)
        self._engine = TreeEngine()
        options = TreeOptions.model_validate({"solver": solver, "integrator": "stoermer"})
        self._run = self._engine.prepare(self.model, options, STEP, 10**9)
        self._state, _ = self._engine.initialise(self._run, start_frame(self.model))
        self._steps = 0

    def accelerations(self) -> Floats:
        """Accelerations of the freedoms at the timed state."""
        self._evaluate(1)
        return self.a.copy()

    def _evaluate(self, n: int) -> None:
        model = self.laid_out.kernel_model
        code = SOLVERS[self.solver]
        evaluate_often(model.tree_int, model.tree_real, self.q, self.v, self.a, self.work, code, n)

    def _solve(self, n: int) -> None:
        model = self.laid_out.kernel_model
        solve_often(model.tree_int, model.tree_real, self.a, self.work, SOLVERS[self.solver], n)

    def timed(self, n: int) -> Times:
        """Mean processor times of n repetitions."""
        began = time.process_time()
        self._evaluate(n)
        middle = time.process_time()
        self._solve(n)
        end = time.process_time()
        return Times((middle - began) / n, (end - middle) / n, self._timed_steps(n))

    def _timed_steps(self, n: int) -> float:
        rows = RowBlock.allocate(self.model.n_body, len(self.model.channel_names), n + 10, frames=1)
        # the history of the method is filled before the clock runs
        self._engine.advance(self._run, self._state, rows, 10 if self._steps == 0 else 0)
        began = time.process_time()
        done = self._engine.advance(self._run, self._state, rows, n)
        self._steps += done
        return (time.process_time() - began) / max(done, 1)


def random_state(balls: Ints, q: Floats, n_v: int, seed: int) -> tuple[Floats, Floats]:
    """Random coordinates and rates; `q` holds unit quaternions where `balls` says so."""
    rng = np.random.default_rng(seed)
    at_random = rng.uniform(-1.0, 1.0, q.size)
    for start, _ in balls:
        e = rng.normal(size=4)
        at_random[start : start + 4] = e / np.linalg.norm(e)
    return at_random, rng.uniform(-1.0, 1.0, n_v)


def operations_per_body(shorter: Mechanism, longer: Mechanism, solver: str) -> dict[str, dict[str, int]]:
    """Count the operations that one more body adds to an evaluation, by part: ``kinematics``, ``solve``.

    Each part is a dictionary of ``add``, ``multiply``, ``divide`` and ``trig``.
    """
    counts = [_counted(mechanism, solver) for mechanism in (shorter, longer)]
    return {
        part: {kind: counts[1][part][kind] - counts[0][part][kind] for kind in counts[1][part]}
        for part in counts[0]
    }


def _counted(mechanism: Mechanism, solver: str) -> dict[str, Counter[str]]:
    model = compile_mechanism(mechanism)
    laid_out = lay_out(model)
    kernel_model = laid_out.kernel_model
    q, v = random_state(kernel_model.balls, laid_out.tables.make_q(), laid_out.tables.n_v, 1)
    real = operations.counting(kernel_model.tree_real)
    work = operations.counting(laid_out.tables.make_work(model.tables.gravity))
    tables = [operations.counting(table) for table in (q, v, np.zeros(laid_out.tables.n_v))]
    out = {}
    operations.reset()
    operations.as_python(outward)(kernel_model.tree_int, real, *tables, work)
    out["kinematics"] = Counter(operations.COUNTS)
    operations.reset()
    module = MODULES[solver]
    operations.as_python(module.eliminate)(kernel_model.tree_int, real, work)
    operations.as_python(module.answer)(kernel_model.tree_int, work, tables[2])
    out["solve"] = Counter(operations.COUNTS)
    return out
