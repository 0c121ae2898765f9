"""What the contacts of a step did, group by group: impulses, losses, states, events."""

from __future__ import annotations

import numpy as np

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import LEDGER_FORCE_WORK, Floats, Ints
from linkwright.kernels.lcp.delassus import direction
from linkwright.kernels.lcp.layout import (
    A_BEFORE,
    A_E,
    A_ET,
    E_APPROACH,
    E_DEPART,
    E_GROUP,
    E_KIND,
    E_LOST,
    E_NORMAL,
    E_SLIP,
    E_T,
    E_TANGENT,
    EVENT_IMPACT,
    EVENT_SLIP,
    EVENT_STICK,
    G_APPROACH,
    G_CLOSED,
    G_DEPART,
    G_LARGEST,
    G_LOST,
    G_NORMAL,
    G_SLIP,
    G_STEP,
    G_STICK,
    G_TANGENT,
    L_IMPACT,
    L_NORMAL,
    L_SIDE,
    L_SLIP,
    L_STATE,
    L_TANGENT,
    L_TOLD,
    L_TOLD_SIDE,
    LEDGER_FRICTION_LOSS,
    LEDGER_IMPACT_LOSS,
    M_STILL,
    P_BELT,
    P_GROUP,
    STATE_IMPACT,
    STATE_OPEN,
    STATE_SLIP,
    STATE_STICK,
    STILL,
    T_POINT,
)
from linkwright.kernels.lcp.problem import BEFORE, CLOSED, DISC, FIRST, FREE, IMPULSE, LAW, XI, Problem


@inner_kernel
def gather(
    point_int: Ints,
    real: Floats,
    nc: int,
    active: Floats,
    active_int: Ints,
    memory: Ints,
    group: Floats,
    p: Problem,
    sums: Floats,
) -> None:
    """Sum up what the contacts did in this step, by group, and add their losses to the ledger.

    The work of an impulse is the impulse times the mean of its velocity before and after, which adds up exactly to the
    change of kinetic energy. Friction on a moving surface loses the work against that surface only; the rest drives.
    """
    for g in range(group.shape[0]):
        for k in range(G_STEP):
            group[g, k] = 0.0
    still = 0.0
    for r in range(p.contact[nc, FIRST]):
        still = max(still, STILL * abs(p.vector[BEFORE, r]), STILL * abs(p.vector[FREE, r]))
    for c in range(nc):
        r = p.contact[c, FIRST]
        normal = p.vector[IMPULSE, r]
        if not (p.state[r] == CLOSED and normal > 0.0):
            continue
        k = active_int[c, T_POINT]
        g = point_int[k, P_GROUP]
        before = active[c, A_BEFORE]
        after = p.vector[XI, r] - active[c, A_E] * before
        impact_loss = -0.5 * normal * (before + after)
        friction_loss = 0.0
        size = 0.0
        slip = 0.0
        lead = 0.0
        lead_slip = 0.0
        n_tangent = p.contact[c + 1, FIRST] - r - 1
        polygon = p.contact[c, LAW] != DISC and n_tangent > 1
        for t in range(r + 1, p.contact[c + 1, FIRST]):
            x = p.vector[IMPULSE, t]
            was = p.vector[BEFORE, t]
            rate = p.vector[XI, t] - active[c, A_ET] * was
            friction_loss -= 0.5 * x * (was + rate)
            a, b = direction(t - r - 1, n_tangent)
            sums[LEDGER_FORCE_WORK] += x * (a * real[k, P_BELT] + b * real[k, P_BELT + 1])
            if t == r + 1:
                lead = x
                lead_slip = rate
            if polygon:
                # the sum of m vectors pi / m apart, and their projections
                slip += 2.0 * rate * rate / n_tangent
                for s in range(r + 1, p.contact[c + 1, FIRST]):
                    size += x * p.vector[IMPULSE, s] * np.cos(np.pi * (t - s) / n_tangent)
            else:
                size += x * x
                slip += rate * rate
        sums[LEDGER_IMPACT_LOSS] += impact_loss
        sums[LEDGER_FRICTION_LOSS] += friction_loss
        group[g, G_NORMAL] += normal
        group[g, G_TANGENT] += np.copysign(np.sqrt(max(size, 0.0)), lead)
        group[g, G_LOST] += impact_loss + friction_loss
        group[g, G_CLOSED] += 1.0
        # redundant contacts may sit on the edge of their cone and yet not move: the speed tells
        if n_tangent > 0 and slip <= still * still:
            memory[k, M_STILL] = 1
            group[g, G_STICK] += 1.0
        if -before > group[g, G_APPROACH]:
            group[g, G_APPROACH] = -before
            group[g, G_DEPART] = after
        if normal > group[g, G_LARGEST]:
            group[g, G_LARGEST] = normal
            group[g, G_SLIP] = np.copysign(np.sqrt(slip), lead_slip)


@inner_kernel
def tell(t: float, kind: int, g: int, group: Floats, events: Floats, n_event: Ints) -> None:
    """Append an event of a group to the list, if there is room."""
    n = n_event[0]
    if n >= events.shape[0]:
        return
    n_event[0] = n + 1
    events[n, E_T] = t
    events[n, E_KIND] = kind
    events[n, E_GROUP] = g
    events[n, E_APPROACH] = group[g, G_APPROACH]
    events[n, E_DEPART] = group[g, G_DEPART]
    events[n, E_NORMAL] = group[g, G_NORMAL]
    events[n, E_TANGENT] = group[g, G_TANGENT]
    events[n, E_SLIP] = group[g, G_SLIP]
    events[n, E_LOST] = group[g, G_LOST]


@inner_kernel
def judge_groups(t: float, impact_speed: float, group: Floats, events: Floats, n_event: Ints) -> None:
    """Find the state of every group and list what changed.

    An impact is told at once. Sticking and slipping are told when they last for two steps, so that a contact that
    chatters within rounding does not fill the list.
    """
    for g in range(group.shape[0]):
        state = STATE_OPEN
        side = 0.0
        kind = -1
        if group[g, G_CLOSED] > 0.0:
            if group[g, G_APPROACH] >= impact_speed:
                state = STATE_IMPACT
            elif group[g, G_STICK] == group[g, G_CLOSED]:
                state = STATE_STICK
            else:
                state = STATE_SLIP
                side = np.copysign(1.0, group[g, G_SLIP]) if group[g, G_SLIP] != 0.0 else 0.0
        if state == STATE_IMPACT:
            kind = EVENT_IMPACT
            group[g, L_TOLD] = STATE_OPEN
            group[g, L_IMPACT] = 1.0
        else:
            lasts = state == group[g, L_STATE] and side == group[g, L_SIDE]
            if lasts and (state != group[g, L_TOLD] or side != group[g, L_TOLD_SIDE]):
                if state != STATE_OPEN:
                    kind = EVENT_STICK if state == STATE_STICK else EVENT_SLIP
                group[g, L_TOLD] = state
                group[g, L_TOLD_SIDE] = side
        if kind >= 0:
            tell(t, kind, g, group, events, n_event)
        group[g, L_STATE] = state
        group[g, L_SIDE] = side
        group[g, L_NORMAL] += group[g, G_NORMAL]
        group[g, L_TANGENT] += group[g, G_TANGENT]
        group[g, L_SLIP] = group[g, G_SLIP]
