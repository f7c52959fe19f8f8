"""The command line: thin, everything it does can be had from Python."""
