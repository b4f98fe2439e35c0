"""Solvers that come from PyPI as packages and not as programs, as programs that read SMT-LIB 2: `--solver` names them."""
