"""Bitwuzla's Python package (PyPI: bitwuzla) as a program that reads SMT-LIB 2 from standard input:

    build/discern prove UNIT UNIT --solver "python3 tests/bench/bitwuzla_program.py"
"""

import sys

import bitwuzla

options = bitwuzla.Options()
options.set(bitwuzla.Option.PRODUCE_MODELS, True)
# What it answers, and the values that (get-value …) asks for, it prints itself.
bitwuzla.Parser(bitwuzla.TermManager(), options).parse(sys.stdin.read(), parse_only=False, parse_file=False)
