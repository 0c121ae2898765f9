"""The body graph: spanning tree, loops, and the mobility count."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.compiler.model import CompiledModel, JointLink


@dataclass(frozen=True, slots=True)
class Topology:
    """How the bodies hang together.

    Attributes
    ----------
    tree : tuple of JointLink
        Joints of a spanning tree from the ground, breadth first.
    cut : tuple of JointLink
        The other joints; each closes one loop.
    loose : tuple of int
        Bodies that no joint connects to the ground, directly or through others.
    """

    tree: tuple[JointLink, ...]
    cut: tuple[JointLink, ...]
    loose: tuple[int, ...]


def topology(model: CompiledModel) -> Topology:
    """Find a spanning tree, in document order as far as possible; parts without ground get roots of their own."""
    ground = model.n_body
    touching: dict[int, list[JointLink]] = {b: [] for b in range(ground + 1)}
    for link in model.joints:
        touching[link.i].append(link)
        touching[link.j].append(link)
    reached: set[int] = set()
    tree: list[JointLink] = []
    loose: set[int] = set()
    for root in (ground, *range(ground)):
        if root in reached:
            continue
        front = [root]
        reached.add(root)
        part = [root]
        while front:
            following = []
            for body in front:
                for link in touching[body]:
                    other = link.j if link.i == body else link.i
                    if other not in reached:
                        reached.add(other)
                        part.append(other)
                        tree.append(link)
                        following.append(other)
            front = following
        if root != ground:
            loose.update(part)
    in_tree = {link.element for link in tree}
    cut = tuple(link for link in model.joints if link.element not in in_tree)
    return Topology(tuple(tree), cut, tuple(sorted(loose)))


def mobility_count(model: CompiledModel) -> int:
    """Freedoms by counting (Gruebler, Kutzbach): six per body minus one per constraint row.

    Redundant rows make it too small; `linkwright.analysis.mobility` finds the rank.
    """
    return 6 * model.n_body - model.n_row
