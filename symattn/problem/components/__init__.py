"""Components of a problem: heads, blocks, caches, positions, gradients, stacks, and formulas.

Each module reads its table and checks it. It may import ``problem.values`` and the folders below it. Start
reading at ``layer_checks``.
"""
