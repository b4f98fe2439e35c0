"""cvc5's own package as a program: `discern prove … --solver "python3 -m discern.solvers.cvc5"`.

PyPI's wheel of cvc5 (`pip install 'discern-mma[cvc5]'`) has its library, under the BSD licence, but no program. This reads
SMT-LIB 2 on standard input and prints what cvc5's program would.
"""

from __future__ import annotations

import sys


def main() -> int:
    try:
        import cvc5
    except ImportError:
        print("discern.solvers.cvc5: cvc5 is not installed; pip install 'discern-mma[cvc5]' does that", file=sys.stderr)
        return 2
    solver = cvc5.Solver(cvc5.TermManager())
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), "stdin")
    try:
        while not (command := parser.nextCommand()).isNull():
            print(command.invoke(solver, parser.getSymbolManager()), end="", flush=True)
            if command.getCommandName() == "exit":
                break
    except RuntimeError as error:
        print('(error "{}")'.format(str(error).replace('"', '""')))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
