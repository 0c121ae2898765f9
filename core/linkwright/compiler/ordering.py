"""Order of the unknowns of the linear system and the envelope of its matrix, made once from the body graph.

Bodies are taken in a reverse Cuthill-McKee order of the graph of joints and forces; each constraint row follows the
later of its two bodies. Then every leading block of the matrix is regular, so that the factorisation needs no pivot
search, and the envelope stays narrow for chains.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from linkwright.kernels.layout import (
    BAND_FIRST,
    BAND_OFFSET,
    BAND_STOP,
    NU,
    PRIM_I,
    PRIM_J,
    SDA_I,
    SDA_J,
    Ints,
    Pattern,
    Tables,
)

GROUP = 4
"""Rows and columns are eliminated in groups of so many."""


def row_ends(tables: Tables, row_prim: Ints) -> tuple[Ints, Ints]:
    """Bodies i and j of every constraint row; the ground is `n_body`."""
    return tables.prim_int[row_prim, PRIM_I], tables.prim_int[row_prim, PRIM_J]


def body_order(n_body: int, pairs: list[tuple[int, int]]) -> list[int]:
    """Order of the bodies that keeps connected ones close together."""
    if n_body == 0:
        return []
    inner = [(i, j) for i, j in pairs if i < n_body and j < n_body and i != j]
    rows = [i for i, j in inner] + [j for i, j in inner]
    cols = [j for i, j in inner] + [i for i, j in inner]
    graph = csr_array((np.ones(len(rows)), (rows, cols)), shape=(n_body, n_body))
    return [int(b) for b in reverse_cuthill_mckee(graph.tocsr(), symmetric_mode=True)]


def make_pattern(tables: Tables, row_prim: Ints, kept: np.ndarray) -> Pattern:
    """Give every kept unknown its place.

    Parameters
    ----------
    tables : Tables
    row_prim : (n_row,) primitive of each constraint row
    kept : (n_row,) bool, False for rows left out as redundant
    """
    n_body = tables.body.shape[0]
    n_row = row_prim.size
    ends_i, ends_j = row_ends(tables, row_prim)
    pairs = list(zip(ends_i.tolist(), ends_j.tolist(), strict=True))
    sda_pairs = [(int(r[SDA_I]), int(r[SDA_J])) for r in tables.sda_int]
    order = body_order(n_body, pairs + sda_pairs)
    place = np.empty(n_body + 1, np.int64)
    place[order] = np.arange(n_body)
    place[n_body] = -1

    rows_behind: list[list[int]] = [[] for _ in range(n_body)]
    for row, (i, j) in enumerate(pairs):
        if kept[row]:
            rows_behind[max(place[i], place[j])].append(row)
    body_adr = np.full(n_body + 1, -1, np.int64)
    row_adr = np.full(n_row, -1, np.int64)
    n = 0
    for position, b in enumerate(order):
        body_adr[b] = n
        n += NU
        for row in rows_behind[position]:
            row_adr[row] = n
            n += 1

    size = -(-n // GROUP) * GROUP
    first = np.arange(size, dtype=np.int64)

    def reach(unknown: int, count: int, other: int) -> None:
        first[unknown : unknown + count] = np.minimum(first[unknown : unknown + count], other)

    for b in range(n_body):
        reach(int(body_adr[b]), NU, int(body_adr[b]))
    for row, ends in enumerate(pairs):
        if row_adr[row] >= 0:
            for b in ends:
                if b < n_body:
                    reach(int(row_adr[row]), 1, int(body_adr[b]))
    for i, j in pairs + sda_pairs:
        if i < n_body and j < n_body:
            low, high = sorted((int(body_adr[i]), int(body_adr[j])))
            reach(high, NU, low)

    # the rows of a group share their columns, which come in groups too
    group_first = first.reshape(-1, GROUP).min(axis=1) // GROUP
    # a group reaches right to the last group that reaches left to it: the pattern is symmetric, fill-in stays inside
    groups = np.arange(group_first.size)
    group_stop = groups + 1
    for g in groups[::-1]:
        group_stop[group_first[g]] = max(group_stop[group_first[g]], g + 1)
    group_stop = np.maximum.accumulate(group_stop) if size else group_stop
    band = np.zeros((size, 3), np.int64)
    band[:, BAND_FIRST] = np.repeat(group_first, GROUP) * GROUP
    band[:, BAND_STOP] = np.repeat(group_stop, GROUP) * GROUP
    width = band[:, BAND_STOP] - band[:, BAND_FIRST]
    offset = np.cumsum(width) - width - band[:, BAND_FIRST]
    band[:, BAND_OFFSET] = offset
    # an offset may be negative; unsigned sums wrap around to the right place
    pattern = Pattern(body_adr, row_adr, offset, band.astype(np.uint64), np.arange(n, size))
    for array in pattern:
        array.setflags(write=False)
    return pattern


def envelope_size(pattern: Pattern) -> int:
    """Number of stored matrix entries."""
    return int((pattern.band[:, BAND_STOP] - pattern.band[:, BAND_FIRST]).sum())
