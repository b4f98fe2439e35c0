"""What the native program says, for comparisons with the page."""

import json
import os
import subprocess


class Native:
    def __init__(self, program):
        self.program = os.path.abspath(program)

    def __call__(self, *arguments, files=None, folder=None):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, cwd=folder, timeout=300)

    def json(self, *arguments, folder=None):
        return json.loads(self(*arguments, "--json", folder=folder).stdout)

    def sentence(self, *arguments, folder=None):
        """The last line of the error stream, without the program's name."""
        answer = self(*arguments, folder=folder)
        assert answer.returncode == 2, answer
        return answer.stderr.strip().splitlines()[-1].removeprefix("discern: ")


def options(vector):
    """A vector as the options of `explain` and `eval`."""
    out = []
    for key in ("a", "b", "sa", "sb", "c"):
        if key in vector:
            out.append(f"--{key}={','.join(vector[key]) if isinstance(vector[key], list) else vector[key]}")
    return out
