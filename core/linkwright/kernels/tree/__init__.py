"""Recursive dynamics of mechanisms whose joints form a tree: kinematics outward, elimination inward, answers outward.

All vectors have ground axes and every body is referred to one point of it, the origin of its tree frame, which lies at
its inboard joint. Handing a block of six equations to the parent is then a pure shift (theory of the tree, section 2).
"""
