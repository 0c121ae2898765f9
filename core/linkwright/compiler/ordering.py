"""Order of the unknowns of the linear system and the envelope of its matrix, made once from the body graph.

Bodies are taken in a reverse Cuthill-McKee order of the graph of joints and forces; each constraint row follows the
later of its two bodies. Then every leading block of the matrix is regular, so that the factorisation needs no pivot
search, and the envelope stays narrow for chains.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from linkwright.kernels.layout import NU, PRIM_I, PRIM_J, SDA_I, SDA_J, Ints, Pattern, Tables


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

    first = np.arange(n, dtype=np.int64)

    def reach(unknown: int, size: int, other: int) -> None:
        first[unknown : unknown + size] = np.minimum(first[unknown : unknown + size], other)

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

    # row r reaches right to the last row that reaches left to r: the pattern is symmetric, fill-in stays inside
    last = np.arange(n, dtype=np.int64)
    for r in range(n - 1, -1, -1):
        last[first[r]] = max(last[first[r]], r)
    last = np.maximum.accumulate(last) if n else last
    width = last - first + 1
    offset = np.concatenate(([0], np.cumsum(width)[:-1])) - first if n else np.zeros(0, np.int64)
    arrays = (body_adr, row_adr, first, last, offset.astype(np.int64))
    for array in arrays:
        array.setflags(write=False)
    return Pattern(*arrays)


def envelope_size(pattern: Pattern) -> int:
    """Number of stored matrix entries."""
    return int((pattern.last - pattern.first + 1).sum())
