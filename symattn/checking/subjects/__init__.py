"""Subject of one chain: inference of the quantity, row or entry that its names, words and numbers are about.

Start at `subjects`; `joint_resolution` then weighs the chains of a whole work against each other. Imports the folders
up to mistakes. No verdict is given here, and yet a wrong binding makes one.
"""
