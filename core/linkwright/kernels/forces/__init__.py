"""Force laws, one file each. `linkwright.kernels.implicit` calls every law by the same steps.

A law has `residual` (adds its force to the residual), `tangent` (adds its derivatives to the matrix),
`collect_along` (its share of the equations along e after the solve) and what the energy ledger needs.
"""
