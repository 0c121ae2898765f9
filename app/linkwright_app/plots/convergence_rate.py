"""How fast an iteration converged, read from its residuals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwright_app.services.run_history import FloatArray

#: In quadratic convergence each gain is far better than the one before; in linear convergence they are alike.
_BETTER_BY = 0.1
#: The last gain must also be this good, or a wobble of a slow iteration would pass for quadratic.
_GOOD_GAIN = 1e-2
#: From this share of the first residual on, the last one may be rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ConvergenceRate:
    """What a residual history shows.

    Parameters
    ----------
    kind : str
        ``"quadratic"``, ``"linear"`` or ``"growing"``.
    factor : float
        Mean factor from one residual to the next.
    """

    kind: str
    factor: float


def convergence_rate(residuals: FloatArray) -> ConvergenceRate | None:
    """Tell quadratic from linear convergence.

    Parameters
    ----------
    residuals : (n,) norms of the residual, one per evaluation

    Returns
    -------
    rate : ConvergenceRate or None
        None when fewer than three residuals are above 0 and finite: two points show no order. Quadratic means that
        the last ratio r[n+1] / r[n] is at most a tenth of the one before (for r[n+1] = C r[n]^2 the ratios are
        proportional to r[n] itself), or the last but one where the last residual may be rounding.
        The linear factor leaves out the first residual, which still belongs to the guess.
    """
    r = residuals[np.isfinite(residuals) & (residuals > 0.0)]
    if len(r) < 3:
        return None
    gains = r[1:] / r[:-1]
    factor = math.exp(float(np.mean(np.log(gains[1:]))))
    if factor > 1.0:
        return ConvergenceRate("growing", factor)
    rounding = len(gains) > 2 and r[-1] < _ROUNDING * r[0]
    if _quickens(gains[-2:]) or (rounding and _quickens(gains[-3:-1])):
        return ConvergenceRate("quadratic", factor)
    return ConvergenceRate("linear", factor)


def _quickens(gains: FloatArray) -> bool:
    return bool(gains[1] <= _BETTER_BY * gains[0] and gains[1] <= _GOOD_GAIN)
