"""Components of a problem: heads, blocks, caches, positions, gradients, stacks, and formulas.

Each module reads its table and checks it. It may import all folders of ``problem`` but ``reader``. Start
reading at ``layer_checks``.
"""
