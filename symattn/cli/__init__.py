"""The command line: thin, everything it does can be had from Python.

It may import every other package; nothing but `symattn.__main__` imports it. Start reading at `main`, which lists the
commands.
"""
